import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import type { Mode } from '../contender.ts';
import { pawl as openPawl } from '../contenders/pawl.ts';
import { openPawlClient } from '../contenders/pawl-client.ts';
import { startPawl } from '../contenders/start-pawl.ts';
import type { BenchHarness } from '../open-harness.ts';
import { readMemory } from '../read-cpu.ts';
import type { Options } from '../read-options.ts';
import { atMost } from '../report/goal.ts';
import { printTable } from '../report/print-table.ts';
import { runClosedLoop } from '../run-closed-loop.ts';
import { turnRequestOf } from '../work.ts';

const STEPS = 500;
const STEPS_GOAL_MB = 300;
const GROWTH_GOAL = 1.1;
const THINK_MS = 60_000;
const TIMEOUT_MS = 45_000;
const BATCHES = 6;

/** Measures the memory of a worker with many steps in flight, and its growth with each turn. */
export async function memory(harness: BenchHarness, options: Options) {
  const rows: string[][] = [];
  const goals = [];
  for (const mode of options.modes) {
    const flying = await inFlight(mode, harness);
    const sizes = await afterBatches(mode, harness, options);
    rows.push([mode, ...[flying, ...sizes].map((megabytes) => megabytes.toFixed(0))]);
    goals.push(atMost(`on ${mode}: worker with ${STEPS} steps in flight`, STEPS_GOAL_MB, flying, ' MB'));
    const growth = (sizes.at(-1) ?? Number.NaN) / (sizes[BATCHES / 2 - 1] ?? Number.NaN);
    const turns = options.turns * (BATCHES / 2);
    goals.push(atMost(`on ${mode}: worker after another ${turns} turns ÷ before`, GROWTH_GOAL, growth));
  }
  const batches = Array.from({ length: BATCHES }, (_, index) => `${options.turns * (index + 1)} turns`);
  const heads = ['worker, MB', `${STEPS} steps`, ...batches];
  return { text: `${printTable(heads, rows)}\n(resident memory; with ${STEPS} steps: the maximum)`, goals };
}

/** Starts as many rounds at once, each of which waits for a model that thinks long. */
async function inFlight(mode: Mode, harness: BenchHarness): Promise<number> {
  await harness.redis?.clear();
  const databaseUrl = await harness.postgres.freshDatabase();
  const env = { PAWL_WORKER_CONCURRENCY: String(STEPS), PAWL_SHUTDOWN_GRACE_MS: '0' };
  const pawl = await startPawl({ harness, databaseUrl, mode }, { env });
  const client = openPawlClient(pawl.url);
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    const request = turnRequestOf({ rounds: 2, thinkMs: THINK_MS });
    await runClosedLoop({ turns: STEPS, concurrency: 32 }, async () => void (await client.post('/v1/turns', request)));
    await untilStarted(sql, STEPS);
    return (await readMemory(pawl.pids.worker ?? 0)).peakMb;
  } finally {
    await sql.end({ timeout: 1 });
    await client.close();
    await pawl.close();
  }
}

async function untilStarted(sql: postgres.Sql, turns: number): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (performance.now() < deadline) {
    const [row] =
      await sql`select count(*)::int as started from work where status = 'in_progress' and lease_owner is not null`;
    if (row?.started >= turns) return sleep(2_000);
    await sleep(200);
  }
  throw new Error(`A worker did not run ${turns} steps at once within ${TIMEOUT_MS / 1000} s.`);
}

async function afterBatches(mode: Mode, harness: BenchHarness, options: Options): Promise<number[]> {
  const { turns, concurrency, rounds } = options;
  await harness.redis?.clear();
  const databaseUrl = await harness.postgres.freshDatabase();
  const contender = await openPawl({ harness, databaseUrl, work: { rounds, thinkMs: 0 }, mode });
  const sizes: number[] = [];
  try {
    for (let batch = 1; batch <= BATCHES; batch += 1) {
      await runClosedLoop({ turns, concurrency }, contender.playTurn);
      sizes.push((await readMemory(contender.pids.worker ?? 0)).nowMb);
    }
    return sizes;
  } finally {
    await contender.close();
  }
}
