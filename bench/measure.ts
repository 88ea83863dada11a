import { setTimeout as sleep } from 'node:timers/promises';
import type { Contender } from './contender.ts';
import type { BenchHarness } from './open-harness.ts';
import { percentile } from './percentile.ts';
import { readCpu } from './read-cpu.ts';
import { type Load, runClosedLoop } from './run-closed-loop.ts';

/** The duration of a turn, in milliseconds. */
export type Latency = { p50Ms: number; p99Ms: number };

/** The figures of one run of a contender. All from `cpuMs` on are for one turn. */
export type Figures = {
  turnsPerSecond: number;
  loaded: Latency;
  /** The latency of a single turn, or null if it was not measured. */
  alone: Latency | null;
  cpuMs: Record<string, number>;
  commits: number;
  fsyncs: number;
  walBytes: number;
};

/** The turns of a measurement: `alone` turns one at a time, then the load. */
export type Play = Load & { alone: number };

/**
 * The duration of the warm-up, the same for all contenders: pools fill, plans are made, code is compiled. Compiling
 * takes longest, and a worker starts once a day and not once a minute.
 */
const WARM_UP_MS = 20_000;
/** The shorter warm-up of a small measurement. */
const WARM_UP_MS_PER_TURN = 40;

/** The most turns that are played only for statistics. */
const MOST_SETTLING = 64;

/** The bound of a turn. A slower contender does not work, and the run ends instead of hanging. */
const TIMEOUT_MS = 60_000;
const TIMEOUT_PER_TURN_MS = 1_000;

/** Warms a contender up, loads it and returns its figures. Rejects if a turn fails or exceeds the time limit. */
export async function measure(contender: Contender, harness: BenchHarness, { alone, ...load }: Play): Promise<Figures> {
  const { playTurn } = contender;
  const pids = { ...harness.pids, ...contender.pids };
  await warmUp(contender, load, Math.min(load.turns * WARM_UP_MS_PER_TURN, WARM_UP_MS));
  const aloneMs = await inTime({ turns: alone, concurrency: 1 }, playTurn);

  const fsyncsBefore = await settle(contender, harness, load);
  const before = await readUsed(pids, harness);
  const from = performance.now();
  const loadedMs = await inTime(load, playTurn);
  const tookMs = performance.now() - from;
  const after = await readUsed(pids, harness);
  const fsyncsAfter = await settle(contender, harness, load);

  const perTurn = (start: number, end: number) => (end - start) / load.turns;
  const cpuMs = Object.entries(after.cpu).map(([name, ms]) => [name, perTurn(before.cpu[name] ?? 0, ms)]);
  return {
    turnsPerSecond: (load.turns / tookMs) * 1000,
    loaded: latencyOf(loadedMs),
    alone: alone > 0 ? latencyOf(aloneMs) : null,
    cpuMs: Object.fromEntries(cpuMs),
    commits: perTurn(before.transactions, after.transactions),
    fsyncs: perTurn(fsyncsBefore, fsyncsAfter),
    walBytes: perTurn(before.walBytes, after.walBytes),
  };
}

/**
 * Plays turns that make PostgreSQL's processes publish their statistics, which they do once a second while they are
 * busy. Both ends of a measurement are read after a pause and such turns, so these turns hardly count.
 */
async function settle({ playTurn }: Contender, { postgres }: BenchHarness, { concurrency }: Load): Promise<number> {
  await sleep(1_100);
  const few = Math.min(concurrency, MOST_SETTLING);
  await inTime({ turns: few, concurrency: few }, playTurn);
  return postgres.readFsyncs();
}

async function readUsed(pids: Record<string, number>, { postgres }: BenchHarness) {
  return { ...(await postgres.readWritten()), cpu: await readCpu(pids) };
}

function latencyOf(durationsMs: number[]): Latency {
  return { p50Ms: percentile(durationsMs, 0.5), p99Ms: percentile(durationsMs, 0.99) };
}

/** Plays turns that are not counted, until the pools are full and the code is compiled. */
export async function warmUp({ playTurn }: Contender, load: Load, forMs = WARM_UP_MS): Promise<void> {
  await inTime({ ...load, turns: Number.MAX_SAFE_INTEGER, forMs }, playTurn);
}

/** Plays a load. Rejects if it exceeds the time limit. */
export async function inTime(load: Load, playTurn: () => Promise<void>): Promise<number[]> {
  const timeoutMs = TIMEOUT_MS + (load.forMs ?? load.turns * TIMEOUT_PER_TURN_MS);
  const timer = new AbortController();
  const late = sleep(timeoutMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`The turns did not end within ${timeoutMs / 1000} s.`);
  });
  late.catch(() => {});
  return Promise.race([runClosedLoop(load, playTurn), late]).finally(() => timer.abort());
}
