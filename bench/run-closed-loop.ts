/** How a load is made: `concurrency` turns are always under way, and a new one starts when one has ended. */
export type Load = { turns: number; concurrency: number };

/** Plays all turns and answers how long each took, milliseconds. The first that fails ends it. */
export async function runClosedLoop({ turns, concurrency }: Load, playTurn: () => Promise<void>): Promise<number[]> {
  const durationsMs: number[] = [];
  let started = 0;

  async function playOneByOne(): Promise<void> {
    while (started < turns) {
      started += 1;
      const from = performance.now();
      await playTurn();
      durationsMs.push(performance.now() - from);
    }
  }

  await Promise.all(Array.from({ length: Math.min(turns, concurrency) }, playOneByOne));
  return durationsMs;
}
