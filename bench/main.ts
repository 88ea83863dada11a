import { mkdir } from 'node:fs/promises';
import { type BenchHarness, openBenchHarness } from './open-harness.ts';
import { type Options, readOptions, type ScenarioName } from './read-options.ts';
import { describeRun } from './report/describe-run.ts';
import { type Goal, goalTable } from './report/goal.ts';
import { against, reasonToLeaveOut } from './scenarios/against.ts';
import { idle } from './scenarios/idle.ts';
import { memory } from './scenarios/memory.ts';
import { oldDatabase } from './scenarios/old-database.ts';
import { throughput } from './scenarios/throughput.ts';

/** Measures, and returns tables for a terminal and the goals with their figures. */
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
