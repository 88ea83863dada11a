import type { Death } from './run-points.ts';

/** What is to be told of some deaths. */
export function tellDeaths(of: string, deaths: Death[]): string {
  const missed = missedOf(deaths);
  const told = `killed at ${deaths.length - missed.length} of ${deaths.length} points of ${of}`;
  return missed.length === 0 ? told : `${told}; not there again: ${missed.join(', ')}`;
}

/** What was not as it would have been, point for point. */
export function faultsOf(deaths: Death[]): string[] {
  return deaths.flatMap(({ point, faults }) => faults.map((fault) => `${point}: ${fault}`));
}

/** The points that were not there again, where there are more of them than chance can have put there. */
export function tooManyMissed(deaths: Death[]): string[] {
  const missed = missedOf(deaths);
  return missed.length > Math.max(1, deaths.length * MAY_MISS) ? missed : [];
}

const MAY_MISS = 0.02;

function missedOf(deaths: Death[]): string[] {
  return deaths.filter(({ happened }) => !happened).map(({ point }) => point);
}
