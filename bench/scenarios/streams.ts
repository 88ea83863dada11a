import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../percentile.ts';
import { readCpu } from '../read-cpu.ts';
import { atMost, type Goal } from '../report/goal.ts';
import { printTable } from '../report/print-table.ts';
import type { Scenario } from '../scenario.ts';
import { openReaders, type Readers } from '../streams/open-readers.ts';
import { type StreamingServer, startBareStreams, startPawlStreams } from '../streams/start-streams.ts';

const TURNS = 200;
const EVERY_MS = 500;
const SEND_MS = 8_000;
const WARM_UP = { share: 0.1, everyMs: 100, forMs: 1_000 };
const ARRIVE_MS = 10_000;

const MEMORY_GOAL_KB = 20;
const DELAY_GOAL_MS = 200;

/**
 * What streams cost a server: for each of them in KB, after a collection and (`grownKb`) before it; for each delta on
 * its way in ms; and percent of one core.
 */
type Figures = { heapKb: number; rssKb: number; grownKb: number; p50Ms: number; p99Ms: number; cpuPercent: number };

/** What many streams at once cost one API, beside a bare server that sends the same. */
export const streams: Scenario = async (harness, { modes, streams: count }) => {
  requireOpenFiles(count);
  const bare = await measure(() => startBareStreams(harness, TURNS), count);
  const rows = [rowOf('bare Hono', bare, bare)];
  const goals: Goal[] = [];
  for (const mode of modes) {
    const pawl = await measure(() => startPawlStreams(harness, mode, TURNS), count);
    rows.push(rowOf(`pawl-${mode}`, pawl, bare));
    goals.push(atMost(`on ${mode}: heap of a stream`, MEMORY_GOAL_KB, pawl.heapKb, ' KB'));
    goals.push(atMost(`on ${mode}: resident memory of a stream`, MEMORY_GOAL_KB, pawl.rssKb, ' KB'));
    goals.push(atMost(`on ${mode}: delta sent to delta read, p99`, DELAY_GOAL_MS, pawl.p99Ms, ' ms'));
  }
  const perSecond = Math.round((count * 1_000) / EVERY_MS);
  const what = `${count} streams of ${TURNS} turns, each gets a delta every ${EVERY_MS} ms: ${perSecond} a second.`;
  const heads = [
    'for one stream',
    'heap KB',
    'rss KB',
    'with garbage',
    'p50 ms',
    'p99 ms',
    'CPU % of a core',
    'CPU ÷ bare',
  ];
  return { text: `${what}\n${printTable(heads, rows)}`, goals };
};

function rowOf(name: string, { heapKb, rssKb, grownKb, p50Ms, p99Ms, cpuPercent }: Figures, bare: Figures): string[] {
  const figures = [heapKb, rssKb, grownKb, p50Ms, p99Ms, cpuPercent].map((value) => value.toFixed(1));
  return [name, ...figures, (cpuPercent / bare.cpuPercent).toFixed(2)];
}

/** A first tenth of the streams is opened and closed, so that code is compiled and pools are filled before the measurement. */
async function measure(start: () => Promise<StreamingServer>, count: number): Promise<Figures> {
  const server = await start();
  try {
    const first = await openReaders(server.url, pathsOf(server, Math.ceil(count * WARM_UP.share)));
    await first.close();
    await sleep(1_000);
    const before = await server.readHeap();
    const readers = await openReaders(server.url, pathsOf(server, count));
    const delays = await readDeltas(server, readers, count);
    const after = await server.readHeap();
    await readers.close();
    const kbOfOne = (bytes: number) => bytes / count / 1024;
    return {
      heapKb: kbOfOne(after.heapUsed - before.heapUsed),
      rssKb: kbOfOne(after.rss - before.rss),
      grownKb: kbOfOne(after.rssBefore - before.rss),
      ...delays,
    };
  } finally {
    await server.close();
  }
}

function pathsOf({ turnIds }: StreamingServer, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `/v1/turns/${turnIds[index % turnIds.length]}/events`);
}

async function readDeltas(server: StreamingServer, readers: Readers, count: number) {
  const pids = { server: server.pid };
  const before = await readCpu(pids);
  const sent = await server.sendDeltas({ everyMs: EVERY_MS, forMs: SEND_MS });
  await untilRead(readers, (sent * count) / TURNS);
  const after = await readCpu(pids);
  return {
    p50Ms: percentile(readers.delaysMs, 0.5),
    p99Ms: percentile(readers.delaysMs, 0.99),
    cpuPercent: (((after.server ?? 0) - (before.server ?? 0)) / SEND_MS) * 100,
  };
}

/** Every stream reads every delta, or the figures are worth nothing. */
async function untilRead(readers: Readers, wanted: number): Promise<void> {
  const deadline = performance.now() + ARRIVE_MS;
  while (readers.count() < wanted) {
    if (performance.now() > deadline) throw new Error(`Only ${readers.count()} of ${wanted} deltas were read.`);
    await sleep(20);
  }
}

/** Each stream has an end in the server and one here: both processes need a file for each. */
function requireOpenFiles(count: number): void {
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft: number | 'unlimited' } } };
  const limit = report.userLimits?.open_files?.soft ?? 'unlimited';
  const needed = count + 200;
  if (limit === 'unlimited' || limit >= needed) return;
  throw new Error(`${count} streams need ${needed} open files, and ${limit} are allowed. Raise it with ulimit -n.`);
}
