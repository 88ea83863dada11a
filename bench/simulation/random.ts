/** Numbers that look like chance and are the same for the same seed. */
export type Random = { uniform(): number; exponential(mean: number): number };

const MULTIPLIER = 1_664_525;
const INCREMENT = 1_013_904_223;
const MODULUS = 2 ** 32;
const SKIPPED = 16;

/** A linear congruential generator: enough for arrivals, for nothing that has to be secret. */
export function openRandom(seed: number): Random {
  let state = seed >>> 0;
  const uniform = () => {
    state = (Math.imul(state, MULTIPLIER) + INCREMENT) >>> 0;
    return (state + 0.5) / MODULUS;
  };
  for (let number = 0; number < SKIPPED; number += 1) uniform();
  return { uniform, exponential: (mean) => -mean * Math.log(uniform()) };
}
