import { parseArgs } from 'node:util';
import { entries } from './entries.ts';
import { findCommit } from './find-commit.ts';
import type { Mode } from './mode.ts';

/** What can be measured; each has a file of its name in `scenarios/`. */
export const scenarioNames = [
  'throughput',
  'long-turns',
  'old-database',
  'idle',
  'api',
  'memory',
  'responses',
  'retention',
  'scaling',
  'storage',
  'streams',
  'workers',
  'against',
] as const;
export type ScenarioName = (typeof scenarioNames)[number];

/** The options of the command line. `only` has names, or beginnings of names, of what is measured. */
export type Options = {
  scenario: ScenarioName;
  modes: Mode[];
  only: string[];
  /** Turns of one measurement, so many at a time; and turns that are played one by one. */
  turns: number;
  concurrency: number;
  alone: number;
  tries: number;
  rounds: number;
  /** Turns that fill the old database, and those that wait in the scenario `idle`. */
  finished: number;
  waiting: number;
  queued: number;
  /** Event streams that are open at once. */
  streams: number;
  /** US dollars for an hour of a core with its memory. */
  price: number;
  /** A folder for CPU profiles. */
  profile: string | undefined;
  /** The revision that the scenario `against` compares this tree with. */
  against: string | undefined;
};

type Sizes = Record<'turns' | 'tries' | 'alone' | 'finished' | 'waiting' | 'queued' | 'streams', number>;

const WHOLE: Sizes = {
  turns: 500,
  tries: 3,
  alone: 50,
  finished: 1_000_000,
  waiting: 10_000,
  queued: 50_000,
  streams: 5_000,
};
const SHORT: Sizes = {
  turns: 150,
  tries: 1,
  alone: 20,
  finished: 20_000,
  waiting: 1_000,
  queued: 2_000,
  streams: 1_000,
};
/** Often enough that a neighbour on the machine does not decide. */
const ALTERNATING: Sizes = { ...SHORT, turns: 250, tries: 10, alone: 0 };

/** Reads the command line; a mistake in it is one sentence and exit code 1. */
export function readOptions(args: string[]): Options {
  try {
    return read(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  }
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const counts = { turns: text, tries: text, alone: text, finished: text, waiting: text, queued: text, streams: text };
const options = {
  ...{
    scenario: text,
    modes: text,
    only: text,
    profile: text,
    price: { ...text, default: '0.04' },
    short: flag,
    against: text,
    ...counts,
  },
  concurrency: { ...text, default: '64' },
  rounds: { ...text, default: '4' },
};

/** `--against` chooses the other scenario. */
const withoutRevision = scenarioNames.filter((name) => name !== 'against');

function read(args: string[]): Options {
  const { values } = parseArgs({ args, options });
  const against = revisionOf(values);
  const sizes = against ? ALTERNATING : values.short ? SHORT : WHOLE;
  const sized = (name: keyof Sizes, least = 1) => count(name, values[name] ?? String(sizes[name]), least);
  return {
    scenario: against ? 'against' : oneOf('scenario', values.scenario ?? 'throughput', withoutRevision),
    modes: list(values.modes ?? 'redis,postgres').map((mode) => oneOf('modes', mode, ['redis', 'postgres'] as const)),
    only: list(values.only).map(known),
    ...{ turns: sized('turns'), tries: sized('tries'), alone: sized('alone', 0) },
    ...{ finished: sized('finished'), waiting: sized('waiting', 0), queued: sized('queued', 0) },
    streams: sized('streams'),
    ...{ concurrency: count('concurrency', values.concurrency, 1), rounds: count('rounds', values.rounds, 1) },
    price: positive('price', values.price),
    profile: values.profile,
    against,
  };
}

function revisionOf({ against, scenario }: { against?: string; scenario?: string }): string | undefined {
  if (against === undefined) return undefined;
  if (against === '') throw new Error('--against is empty. Give a commit, a branch or a tag.');
  if (scenario !== undefined) throw new Error('--against is a scenario of its own. Leave out --scenario.');
  findCommit(against);
  return against;
}

const MOST = 10_000_000;

function count(name: string, given: string, least: number): number {
  const number = Number(given);
  if (Number.isInteger(number) && number >= least && number <= MOST) return number;
  throw new Error(`--${name} ${given}: give a whole number from ${least} to ${MOST}.`);
}

function positive(name: string, given: string): number {
  const number = Number(given);
  if (number > 0 && number < MOST) return number;
  throw new Error(`--${name} ${given}: give a number above 0.`);
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
  if (entries.some((entry) => entry.name.startsWith(name))) return name;
  throw new Error(`--only ${name}: choose from ${entries.map((entry) => entry.name).join(', ')}.`);
}
