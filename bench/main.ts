import { mkdir } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { type BenchHarness, openBenchHarness } from './open-harness.ts';
import { type Options, readOptions, type ScenarioName } from './read-options.ts';
import { type Goal, goalTable } from './report/goal.ts';
import { against, reasonToLeaveOut } from './scenarios/against.ts';
import { idle } from './scenarios/idle.ts';
import { memory } from './scenarios/memory.ts';
import { oldDatabase } from './scenarios/old-database.ts';
import { throughput } from './scenarios/throughput.ts';
import { CALLS } from './work.ts';

/** A scenario, which measures and returns tables for a terminal and the goals with their figures. */
type Scenario = (harness: BenchHarness, options: Options) => Promise<{ text: string; goals: Goal[] }>;

const scenarios: Record<ScenarioName, Scenario> = { throughput, idle, memory, 'old-database': oldDatabase, against };

/** The bound of the whole run, although each wait is bounded. */
const LONGEST_RUN_MS = 60 * 60_000;

await main(readOptions(process.argv.slice(2)));

async function main(given: Options): Promise<void> {
  const reason = given.scenario === 'against' ? await reasonToLeaveOut() : null;
  if (reason) return console.log(`Left out: ${reason}.`);
  if (given.profile) await mkdir(given.profile, { recursive: true });
  await using harness = await openBenchHarness({ profileFolder: given.profile });
  endEarly(harness);
  const options = { ...given, modes: given.modes.filter((mode) => mode !== 'redis' || harness.redis) };

  console.log(`${describeRun(harness, options)}\n`);
  const { text, goals } = await scenarios[options.scenario](harness, options);
  console.log(`${text}\n\n${goalTable(goals)}`);
  if (options.scenario === 'against' && !goals.every(({ isReached }) => isReached)) process.exitCode = 1;
}

function endEarly(harness: BenchHarness): void {
  const end = (code: number) => void harness[Symbol.asyncDispose]().then(() => process.exit(code));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end(130));
  setTimeout(end, LONGEST_RUN_MS, 1).unref();
}

/** Describes the measurement: its subject, date and machine, and how reliable its figures are. */
function describeRun({ postgres, redis }: BenchHarness, { scenario, turns, concurrency, tries, rounds }: Options) {
  const cores = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'})`;
  return [
    `${scenario}, ${new Date().toISOString().slice(0, 10)}. Each turn, unless stated otherwise: ` +
      `${rounds} rounds, ${rounds - 1} batches of ${CALLS.length} tools, a model over HTTP that takes 0 ms.`,
    `${turns} turns, ${concurrency} at a time, ${scenario === 'against' ? `${tries} groups in alternation` : `median of ${tries}`}.`,
    `Node ${process.version}, PostgreSQL ${postgres.version} (fsync and synchronous_commit on), ${redisLine(redis)}.`,
    `All processes share ${cores}. The load average before the start was ${loadavg()[0]?.toFixed(2)}. Only the ratios are comparable.`,
  ].join('\n');
}

function redisLine(redis: BenchHarness['redis']): string {
  if (!redis) return 'no Redis (set REDIS_URL or put redis-server on the PATH), so the run measures nothing on Redis';
  return redis.pid
    ? `Redis ${redis.version} (AOF everysec, noeviction)`
    : `Redis ${redis.version} at REDIS_URL, its CPU not counted`;
}
