import { setTimeout as sleep } from 'node:timers/promises';
import type { Contender } from './contender.ts';
import type { Ground } from './ground/open-ground.ts';
import { readCpu } from './read-cpu.ts';
import { type Load, runClosedLoop } from './run-closed-loop.ts';

/** What one run of a contender came to; everything but the first three is for one turn. */
export type Figures = {
  turnsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  cpuMs: Record<string, number>;
  commits: number;
  walBytes: number;
};

/** Turns played before anything is counted: pools fill, plans are made, code gets compiled. */
const WARM_UP_TURNS = 300;

/** Whoever is slower than this does not work, and the run ends instead of hanging. */
const PATIENCE_MS = 60_000;
const PATIENCE_PER_TURN_MS = 500;

/** Warms a contender up, loads it and answers its figures. Rejects when a turn fails or it takes much too long. */
export async function measure(contender: Contender, ground: Ground, load: Load): Promise<Figures> {
  const { playTurn } = contender;
  await inTime({ ...load, turns: Math.min(load.turns, WARM_UP_TURNS) }, playTurn);

  const pids = { ...ground.pids, ...contender.pids };
  const before = { cpu: await readCpu(pids), written: await ground.postgres.readWritten() };
  const from = performance.now();
  const durationsMs = await inTime(load, playTurn);
  const tookMs = performance.now() - from;
  const after = { cpu: await readCpu(pids), written: await ground.postgres.readWritten() };

  const perTurn = (start: number, end: number) => (end - start) / load.turns;
  const used = Object.entries(after.cpu).map(([name, ms]) => [name, perTurn(before.cpu[name] ?? 0, ms)]);
  return {
    turnsPerSecond: (load.turns / tookMs) * 1000,
    p50Ms: percentile(durationsMs, 0.5),
    p99Ms: percentile(durationsMs, 0.99),
    cpuMs: Object.fromEntries(used),
    commits: perTurn(before.written.transactions, after.written.transactions),
    walBytes: perTurn(before.written.walBytes, after.written.walBytes),
  };
}

async function inTime(load: Load, playTurn: () => Promise<void>): Promise<number[]> {
  const patienceMs = PATIENCE_MS + load.turns * PATIENCE_PER_TURN_MS;
  const timer = new AbortController();
  const late = sleep(patienceMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`${load.turns} turns were not over after ${patienceMs / 1000} s.`);
  });
  late.catch(() => {});
  return Promise.race([runClosedLoop(load, playTurn), late]).finally(() => timer.abort());
}

function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
}
