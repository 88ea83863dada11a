import type { Entry } from './contender.ts';
import { inTime, WARM_UP_MS } from './measure.ts';
import type { BenchHarness } from './open-harness.ts';
import { readCpu, sumCpu } from './read-cpu.ts';
import type { Work } from './work.ts';

/** Each contender plays so many turns at a time, so often. */
type Play = { turns: number; concurrency: number; times: number };

/** What a turn took when it was a contender's turn: milliseconds of CPU, and of the clock. */
export type Cost = { cpuMs: number; tookMs: number };

/**
 * Opens contenders side by side on databases of their own and lets them play in alternation, a few seconds each: what slows
 * the machine for a minute slows all of them. Returns what each of them cost, time after time.
 */
export async function measureAlternately(
  entries: Entry[],
  harness: BenchHarness,
  { work, play: { times, ...load } }: { work: Work; play: Play },
): Promise<Cost[][]> {
  await using opened = new AsyncDisposableStack();
  await harness.redis?.clear();
  const players = [];
  for (const entry of entries) {
    const databaseUrl = await harness.postgres.keptDatabase(`bench_${entry.name}`, async () => {});
    const contender = await entry.open({ harness, databaseUrl, work });
    opened.defer(contender.close);
    await inTime({ ...load, turns: Number.MAX_SAFE_INTEGER, forMs: WARM_UP_MS }, contender.playTurn);
    players.push({ contender, costs: [] as Cost[] });
  }
  for (let time = 1; time <= times; time += 1)
    for (const { contender, costs } of players) {
      const pids = { ...harness.pids, ...contender.pids };
      const [before, from] = [sumCpu(await readCpu(pids)), performance.now()];
      await inTime(load, contender.playTurn);
      const tookMs = performance.now() - from;
      costs.push({ cpuMs: (sumCpu(await readCpu(pids)) - before) / load.turns, tookMs: tookMs / load.turns });
    }
  return players.map(({ costs }) => costs);
}
