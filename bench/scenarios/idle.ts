import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import type { Mode } from '../contender.ts';
import { openPawlClient } from '../contenders/pawl-client.ts';
import { type Pawl, startPawl } from '../contenders/start-pawl.ts';
import { fillWithQueued, fillWithWaiting } from '../fill/fill-with-waiting.ts';
import type { BenchHarness } from '../open-harness.ts';
import { readCpu } from '../read-cpu.ts';
import type { Options } from '../read-options.ts';
import { atMost } from '../report/goal.ts';
import { printTable } from '../report/print-table.ts';
import { runClosedLoop } from '../run-closed-loop.ts';
import { PLAIN_WORK, turnRequestOf } from '../work.ts';

const CPU_GOAL = 2;
const MEMORY_GOAL_MB = 2;
const WARM_UP_TURNS = 300;
/** The time until all turns of the provider have been postponed, 2,000 a second, and autovacuum has run. */
const SETTLE_MS = 45_000;
const WATCH_MS = 30_000;

/** The use of an idle Pawl: percent of one core for each process, and the heap of its worker after a collection. */
type Idling = { percent: number[]; workerMb: number };

/** Measures the cost of turns that only wait, for a client or for a rate-limited provider. */
export async function idle(harness: BenchHarness, options: Options) {
  const rows: string[][] = [];
  const goals = [];
  for (const mode of options.modes) {
    const { empty, full } = await compare(mode, harness, options);
    const cells = ({ percent, workerMb }: Idling) => [...percent, workerMb].map((value) => value.toFixed(1));
    rows.push([`${mode}, nothing waits`, ...cells(empty)], [`${mode}, turns wait`, ...cells(full)]);
    const added = sum(full.percent) - sum(empty.percent);
    goals.push(atMost(`on ${mode}: CPU added by turns that wait`, CPU_GOAL, added, ' %'));
    goals.push(
      atMost(
        `on ${mode}: heap that waiting turns add to a worker`,
        MEMORY_GOAL_MB,
        full.workerMb - empty.workerMb,
        ' MB',
      ),
    );
  }
  const heads = ['', 'api %', 'worker %', 'postgres %', 'redis %', 'worker heap MB'];
  const waiting = `${options.waiting} turns in requires_action, ${options.queued} queued for a rate-limited provider.`;
  return { text: `${waiting} Percent of one core over ${WATCH_MS / 1000} s.\n${printTable(heads, rows)}`, goals };
}

async function compare(
  mode: Mode,
  harness: BenchHarness,
  { waiting, queued }: Options,
): Promise<{ empty: Idling; full: Idling }> {
  await harness.redis?.clear();
  const databaseUrl = await harness.postgres.freshDatabase();
  const heapReporter = reportHeap(harness.folder, 'worker');
  const { nodeOptions, env } = heapReporter;
  const pawl = await startPawl({ harness, databaseUrl, mode }, { nodeOptions, env });
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    await warmUp(pawl);
    await rateLimitProvider(pawl);
    await sleep(SETTLE_MS);
    const empty = await watch(pawl, harness, heapReporter);
    await fillWithWaiting(sql, waiting);
    await fillWithQueued(sql, queued, { databaseUrl, redisUrl: mode === 'redis' ? harness.redis?.url : undefined });
    await sql`vacuum analyze`;
    await sql`checkpoint`;
    await sleep(SETTLE_MS);
    return { empty, full: await watch(pawl, harness, heapReporter) };
  } finally {
    await sql.end({ timeout: 1 });
    await pawl.close();
  }
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

async function watch({ pids }: Pawl, harness: BenchHarness, { read }: HeapReporter): Promise<Idling> {
  const { postgres: database = 0, redis = 0 } = harness.pids;
  const watched = { api: 0, worker: 0, ...pids, postgres: database, redis };
  const before = await readCpu(watched);
  await sleep(WATCH_MS);
  const after = await readCpu(watched);
  const percent = Object.keys(watched).map((name) => (((after[name] ?? 0) - (before[name] ?? 0)) / WATCH_MS) * 100);
  return { percent, workerMb: (await read(watched.worker)).heapUsed / 2 ** 20 };
}

/** Compiles code and fills pools, so that only the waiting turns add something. */
async function warmUp({ url }: Pawl): Promise<void> {
  const client = openPawlClient(url);
  await runClosedLoop({ turns: WARM_UP_TURNS, concurrency: 32 }, async () => {
    const { id } = await client.post('/v1/turns', turnRequestOf(PLAIN_WORK));
    await client.waitForEnd(id);
  });
  await client.close();
}

/** Keeps a model rate-limited during the whole measurement: one of its turns receives a 429 every minute. */
async function rateLimitProvider({ url }: Pawl): Promise<void> {
  const client = openPawlClient(url);
  const fault = { kind: 'status', status: 429, retry_after: 3_600 };
  const input = JSON.stringify({ sim: { answer: 'Never.', final: { fault } } });
  const plain = turnRequestOf({ rounds: 1, thinkMs: 0 });
  const { id } = await client.post('/v1/turns', { ...plain, input });
  await client.get(`/v1/turns/${id}?wait=5&after=2`);
  await client.close();
}

/** The bytes of a program after a collection, on its heap and in all. `rssBefore` is with its garbage. */
type Heap = { heapUsed: number; rss: number; rssBefore: number };

/** The options that start a program which reports its heap, and a function that reads the report. */
type HeapReporter = {
  nodeOptions: string[];
  env: Record<string, string>;
  read(pid: number): Promise<Heap>;
};

const REPORT_MEMORY = fileURLToPath(new URL('./report-memory/main.ts', import.meta.url));
const TIMEOUT_MS = 10_000;
const POLL_MS = 20;

/** Makes a program report its heap into a file of that name, on request. */
function reportHeap(folder: string, name: string): HeapReporter {
  const file = join(folder, `${name}.memory.json`);
  return {
    nodeOptions: ['--expose-gc', '--import', REPORT_MEMORY],
    env: { BENCH_MEMORY_FILE: file },
    read: async (pid) => {
      await rm(file, { force: true });
      process.kill(pid, 'SIGUSR2');
      const deadline = performance.now() + TIMEOUT_MS;
      while (performance.now() < deadline) {
        const text = await readFile(file, 'utf8').catch(() => '');
        if (text.endsWith('}')) return JSON.parse(text);
        await sleep(POLL_MS);
      }
      throw new Error(`${name} did not report its memory within ${TIMEOUT_MS / 1000} s.`);
    },
  };
}
