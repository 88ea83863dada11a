/**
 * A closed loop: `concurrency` turns are always in progress. A new turn starts when a turn has ended, until `turns`
 * turns have ended or `forMs` has passed.
 */
export type Load = { turns: number; concurrency: number; forMs?: number };

/** Plays the turns and returns the duration of each in milliseconds. The first failure ends it. */
export async function runClosedLoop(
  { turns, concurrency, forMs = Number.POSITIVE_INFINITY }: Load,
  playTurn: () => Promise<void>,
): Promise<number[]> {
  const durationsMs: number[] = [];
  const endAt = performance.now() + forMs;
  let started = 0;

  async function playOneByOne(): Promise<void> {
    while (started < turns && performance.now() < endAt) {
      started += 1;
      const from = performance.now();
      await playTurn();
      durationsMs.push(performance.now() - from);
    }
  }

  await Promise.all(Array.from({ length: Math.min(turns, concurrency) }, playOneByOne));
  return durationsMs;
}
