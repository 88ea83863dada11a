import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import type { Mode } from './contender.ts';
import { systems } from './contenders/systems.ts';

const scenarioNames = ['throughput', 'old-database', 'idle', 'memory'] as const;
/** The scenarios. `--against` chooses `against`. */
export type ScenarioName = (typeof scenarioNames)[number] | 'against';

/**
 * The sizes of a measurement: turns of one measurement, repetitions, single turns, and turns that fill a database.
 */
type Sizes = Record<'turns' | 'tries' | 'alone' | 'finished' | 'waiting' | 'queued', number>;

export type Options = Sizes & {
  scenario: ScenarioName;
  modes: Mode[];
  /** Names of contenders, or beginnings of names. */
  only: string[];
  concurrency: number;
  rounds: number;
  profile: string | undefined;
  /** The revision that the scenario `against` compares this tree with. */
  against: string | undefined;
};

const WHOLE: Sizes = { turns: 500, tries: 3, alone: 50, finished: 1_000_000, waiting: 10_000, queued: 50_000 };
const SHORT: Sizes = { turns: 150, tries: 1, alone: 20, finished: 20_000, waiting: 1_000, queued: 2_000 };
/** The sizes of an alternation: many groups, so that a neighbour on the machine does not decide the result. */
const ALTERNATING: Sizes = { ...SHORT, turns: 250, tries: 10, alone: 0 };
const MAY_BE_ZERO = ['alone', 'waiting', 'queued'];

/** Reads the command line. A mistake is reported in one sentence, with exit code 1. */
export function readOptions(args: string[]): Options {
  try {
    return read(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  }
}

const text = { type: 'string' } as const;
const counts = { turns: text, tries: text, alone: text, finished: text, waiting: text, queued: text };
const names = { scenario: text, modes: text, only: text, profile: text, against: text };
const options = {
  ...{ ...names, ...counts, short: { type: 'boolean', default: false } as const },
  ...{ concurrency: { ...text, default: '64' }, rounds: { ...text, default: '4' } },
};

function read(args: string[]): Options {
  const { values } = parseArgs({ args, options });
  const { scenario = 'throughput', modes = 'redis,postgres', only, against, profile } = values;
  if (against !== undefined && values.scenario !== undefined)
    throw new Error('`--against` is its own scenario. Leave out `--scenario`.');
  if (against !== undefined) findCommit(against);
  const sizes = against !== undefined ? ALTERNATING : values.short ? SHORT : WHOLE;
  const sized = (Object.keys(sizes) as (keyof Sizes)[]).map((name) => [
    name,
    count(name, values[name] ?? String(sizes[name])),
  ]);
  return {
    ...(Object.fromEntries(sized) as Sizes),
    scenario: against !== undefined ? 'against' : oneOf('scenario', scenario, scenarioNames),
    modes: list(modes).map((mode) => oneOf('modes', mode, ['redis', 'postgres'] as const)),
    only: list(only).map(known),
    ...{ concurrency: count('concurrency', values.concurrency), rounds: count('rounds', values.rounds) },
    ...{ profile, against },
  };
}

/**
 * Returns the hash of the commit that a revision of this repository names. Throws a sentence without such a commit.
 */
export function findCommit(revision: string): string {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  const { status, stdout } = spawnSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' });
  if (status === 0) return stdout.trim();
  throw new Error(`--against ${revision}: the commit was not found. Give a commit, a branch or a tag.`);
}

const MOST = 10_000_000;

function count(name: string, given: string): number {
  const least = MAY_BE_ZERO.includes(name) ? 0 : 1;
  const number = Number(given);
  if (Number.isInteger(number) && number >= least && number <= MOST) return number;
  throw new Error(`--${name} ${given}: give a whole number from ${least} to ${MOST}.`);
}

function list(given = ''): string[] {
  return given.split(',').filter((name) => name !== '');
}

function oneOf<T extends string>(name: string, given: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === given);
  if (found !== undefined) return found;
  throw new Error(`--${name} ${given}: choose from ${allowed.join(', ')}.`);
}

function known(name: string): string {
  if (systems.some((system) => system.name.startsWith(name))) return name;
  throw new Error(`--only ${name}: choose from ${systems.map((system) => system.name).join(', ')}.`);
}
