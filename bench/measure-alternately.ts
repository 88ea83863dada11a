import type { Contender } from './contender.ts';
import { inTime } from './measure.ts';
import type { BenchHarness } from './open-harness.ts';
import { readCpu } from './read-cpu.ts';
import type { Load } from './run-closed-loop.ts';

/** The CPU of a turn in milliseconds, by process. */
export type Cost = Record<string, number>;

/** The number of groups of turns that each contender plays. */
type Play = Load & { groups: number };

/**
 * Plays groups of turns of open contenders in alternation, so that a busy neighbour slows all contenders alike. The
 * first contender of a pair pays for remaining work of the previous group, so each contender begins every second
 * pair. Returns the cost of each contender, group after group. The first group of each contender is not counted.
 */
export async function measureAlternately(
  contenders: Contender[],
  harness: BenchHarness,
  { groups, ...load }: Play,
): Promise<Cost[][]> {
  const players = contenders.map((contender) => ({ contender, costs: [] as Cost[] }));
  for (const { contender } of players) await measureGroup(contender, harness, load);
  for (let group = 1; group <= groups; group += 1) {
    const order = group % 2 === 0 ? players : players.toReversed();
    for (const { contender, costs } of order) costs.push(await measureGroup(contender, harness, load));
  }
  return players.map(({ costs }) => costs);
}

async function measureGroup({ pids: own, playTurn }: Contender, harness: BenchHarness, load: Load): Promise<Cost> {
  const pids = { ...harness.pids, ...own };
  const before = await readCpu(pids);
  await inTime(load, playTurn);
  const after = Object.entries(await readCpu(pids));
  return Object.fromEntries(after.map(([name, ms]) => [name, (ms - (before[name] ?? 0)) / load.turns]));
}
