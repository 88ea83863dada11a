import type { Contender, Entry } from './contender.ts';
import { inTime, WARM_UP_MS } from './measure.ts';
import type { BenchHarness } from './open-harness.ts';
import { readCpu, sumCpu } from './read-cpu.ts';
import type { Work } from './work.ts';

/** Each contender plays so many turns at a time, so often; and as often again, twice at most, where that is not clear. */
type Play = { turns: number; concurrency: number; times: number; isClear(costs: Cost[][]): boolean };

const MOST_STRETCHES = 3;

type Player = { contender: Contender; costs: Cost[] };

/** What a turn took when it was a contender's turn: milliseconds of CPU, and of the clock. */
export type Cost = { cpuMs: number; tookMs: number };

/**
 * Opens contenders side by side on databases of their own and lets them play in alternation, a few seconds each: what slows
 * the machine for a minute slows all of them. Who comes first has what the other left behind, so they take turns at that too, and the
 * first time, behind the warming up of the last one, is not counted. Returns what each of them cost, time after time.
 */
export async function measureAlternately(
  entries: Entry[],
  harness: BenchHarness,
  { work, play: { times, isClear, ...load } }: { work: Work; play: Play },
): Promise<Cost[][]> {
  await using opened = new AsyncDisposableStack();
  await harness.redis?.clear();
  const players: Player[] = [];
  for (const entry of entries) {
    const databaseUrl = await harness.postgres.keptDatabase(`bench_${entry.name}`, async () => {});
    const contender = await entry.open({ harness, databaseUrl, work });
    opened.defer(contender.close);
    await inTime({ ...load, turns: Number.MAX_SAFE_INTEGER, forMs: WARM_UP_MS }, contender.playTurn);
    players.push({ contender, costs: [] });
  }
  const play = async ({ contender, costs }: Player, isCounted: boolean) => {
    const pids = { ...harness.pids, ...contender.pids };
    const [before, from] = [sumCpu(await readCpu(pids)), performance.now()];
    await inTime(load, contender.playTurn);
    const tookMs = performance.now() - from;
    const cpuMs = sumCpu(await readCpu(pids)) - before;
    if (isCounted) costs.push({ cpuMs: cpuMs / load.turns, tookMs: tookMs / load.turns });
  };
  const costs = players.map((player) => player.costs);
  for (const player of players) await play(player, false);
  for (let stretch = 0; stretch === 0 || (stretch < MOST_STRETCHES && !isClear(costs)); stretch += 1)
    for (let time = 1; time <= times; time += 1)
      for (const player of time % 2 === 0 ? players : players.toReversed()) await play(player, true);
  return costs;
}
