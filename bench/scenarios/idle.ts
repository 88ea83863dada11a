import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import type { Mode } from '../contender.ts';
import { openPawlClient } from '../contenders/pawl-client.ts';
import { type Pawl, startPawl } from '../contenders/start-pawl.ts';
import { fillWithParked, fillWithQueued } from '../fill/fill-with-waiting.ts';
import type { Ground } from '../ground/open-ground.ts';
import { readCpu } from '../read-cpu.ts';
import { type HeapTeller, tellHeap } from '../read-heap.ts';
import type { Options } from '../read-options.ts';
import { atMost } from '../report/goal.ts';
import { printTable } from '../report/print-table.ts';
import { runClosedLoop } from '../run-closed-loop.ts';
import type { Scenario } from '../scenario.ts';
import { PLAIN_WORK, turnRequestOf } from '../work.ts';

const CPU_GOAL = 2;
const MEMORY_GOAL_MB = 2;
const WARM_UP_TURNS = 300;
/** Until all that waits for the provider has been put off, 2,000 a second, and vacuum has been there. */
const SETTLE_MS = 45_000;
const WATCH_MS = 30_000;

/** What Pawl uses while nothing can be done: percent of one core by process, and its worker's heap after a collection. */
type Idling = { percent: Record<string, number>; workerMb: number };

/** What turns cost that only wait, for a client or for a provider that asked everybody to. */
export const idle: Scenario = async (ground, options) => {
  const rows: string[][] = [];
  const goals = [];
  for (const mode of options.modes) {
    const { empty, full } = await compare(mode, ground, options);
    const names = Object.keys(full.percent);
    const added = names.map((name) => (full.percent[name] ?? 0) - (empty.percent[name] ?? 0));
    const cells = (values: number[], mb: number) => [...values, mb].map((value) => value.toFixed(1));
    rows.push([
      `${mode}, nothing waits`,
      ...cells(
        names.map((name) => empty.percent[name] ?? 0),
        empty.workerMb,
      ),
    ]);
    rows.push([
      `${mode}, turns wait`,
      ...cells(
        names.map((name) => full.percent[name] ?? 0),
        full.workerMb,
      ),
    ]);
    const sum = added.reduce((total, value) => total + value, 0);
    goals.push(atMost(`on ${mode}: CPU added by turns that wait`, CPU_GOAL, sum, ' %'));
    goals.push(atMost(`on ${mode}: heap they add to a worker`, MEMORY_GOAL_MB, full.workerMb - empty.workerMb, ' MB'));
  }
  const heads = ['', 'api %', 'worker %', 'postgres %', 'redis %', 'worker heap MB'];
  const waiting = `${options.parked} turns in requires_action, ${options.queued} queued for a parked provider.`;
  return { text: `${waiting} Percent of one core over ${WATCH_MS / 1000} s.\n${printTable(heads, rows)}`, goals };
};

async function compare(
  mode: Mode,
  ground: Ground,
  { parked, queued }: Options,
): Promise<{ empty: Idling; full: Idling }> {
  await ground.redis?.clear();
  const databaseUrl = await ground.postgres.freshDatabase();
  const teller = tellHeap(ground.folder, 'worker');
  const { nodeOptions, env } = teller;
  const pawl = await startPawl({ ground, databaseUrl }, { mode, nodeOptions, env });
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    await warmUp(pawl);
    await parkProvider(pawl);
    await sleep(SETTLE_MS);
    const empty = await watch(pawl, ground, teller);
    await fillWithParked(sql, parked);
    await fillWithQueued(sql, queued, { mode, databaseUrl, redisUrl: ground.redis?.url });
    await sql`vacuum analyze`;
    await sql`checkpoint`;
    await sleep(SETTLE_MS);
    return { empty, full: await watch(pawl, ground, teller) };
  } finally {
    await sql.end({ timeout: 1 });
    await pawl.close();
  }
}

async function watch({ pids }: Pawl, ground: Ground, { read }: HeapTeller): Promise<Idling> {
  const { postgres: database = 0, redis = 0 } = ground.pids;
  const watched = { api: 0, worker: 0, ...pids, postgres: database, redis };
  const before = await readCpu(watched);
  await sleep(WATCH_MS);
  const after = await readCpu(watched);
  const percent = Object.keys(watched).map((name) => [
    name,
    (((after[name] ?? 0) - (before[name] ?? 0)) / WATCH_MS) * 100,
  ]);
  return { percent: Object.fromEntries(percent), workerMb: (await read(watched.worker)).heapUsed / 2 ** 20 };
}

/** Code gets compiled and pools fill, so that only what the waiting turns add is left to see. */
async function warmUp({ url }: Pawl): Promise<void> {
  const client = openPawlClient(url);
  await runClosedLoop({ turns: WARM_UP_TURNS, concurrency: 32 }, async () => {
    const { id } = await client.post('/v1/turns', turnRequestOf(PLAIN_WORK));
    await client.waitForEnd(id);
  });
  await client.close();
}

/** One turn meets a 429, again each minute, so that the worker leaves its model alone for as long as it is watched. */
async function parkProvider({ url }: Pawl): Promise<void> {
  const client = openPawlClient(url);
  const fault = { kind: 'status', status: 429, retry_after: 3_600 };
  const input = JSON.stringify({ sim: { answer: 'Never.', final: { fault } } });
  const plain = turnRequestOf({ rounds: 1, thinkMs: 0 });
  const { id } = await client.post('/v1/turns', { ...plain, input });
  await client.get(`/v1/turns/${id}?wait=5&after=2`);
  await client.close();
}
