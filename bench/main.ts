import { mkdir } from 'node:fs/promises';
import { type BenchHarness, openBenchHarness } from './open-harness.ts';
import type { ScenarioName } from './read-options.ts';
import { type Options, readOptions } from './read-options.ts';
import { describeRun } from './report/describe-run.ts';
import { goalTable } from './report/goal.ts';
import { notMeasured } from './report/not-measured.ts';
import type { Scenario } from './scenario.ts';
import { against, reasonToLeaveOut } from './scenarios/against.ts';
import { api } from './scenarios/api.ts';
import { idle } from './scenarios/idle.ts';
import { longTurns } from './scenarios/long-turns.ts';
import { memory } from './scenarios/memory.ts';
import { oldDatabase } from './scenarios/old-database.ts';
import { responses } from './scenarios/responses.ts';
import { retention } from './scenarios/retention.ts';
import { scaling } from './scenarios/scaling.ts';
import { storage } from './scenarios/storage.ts';
import { streams } from './scenarios/streams.ts';
import { throughput } from './scenarios/throughput.ts';
import { workers } from './scenarios/workers.ts';

const scenarios: Record<ScenarioName, Scenario> = {
  ...{ throughput, api, idle, memory, responses, retention, scaling, storage, streams, workers, against },
  'long-turns': longTurns,
  'old-database': oldDatabase,
};

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
  console.log(`${text}\n\n${goalTable(goals)}\n\n${notMeasured(options.scenario)}`);
  if (options.scenario === 'against' && !goals.every(({ isReached }) => isReached)) process.exitCode = 1;
}

function endEarly(harness: BenchHarness): void {
  const end = (code: number) => void harness[Symbol.asyncDispose]().then(() => process.exit(code));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end(130));
  setTimeout(end, LONGEST_RUN_MS, 1).unref();
}
