import { parseArgs } from 'node:util';
import { entries } from './entries.ts';

/** What the command line asks for. `only` holds names, or beginnings of names, of what is measured. */
export type Options = {
  turns: number;
  concurrency: number;
  repeat: number;
  only: string[];
  /** A folder for CPU profiles of Pawl. */
  profile: string | undefined;
};

/** Reads the command line; a mistake in it is one sentence and exit code 1. */
export function readOptions(args: string[]): Options {
  try {
    const { values } = parseArgs({ args, options });
    return {
      turns: count('turns', values.turns),
      concurrency: count('concurrency', values.concurrency),
      repeat: count('repeat', values.repeat),
      only: known(values.only.split(',').filter((name) => name !== '')),
      profile: values.profile,
    };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  }
}

const options = {
  turns: { type: 'string', default: '500' },
  concurrency: { type: 'string', default: '64' },
  repeat: { type: 'string', default: '3' },
  only: { type: 'string', default: '' },
  profile: { type: 'string' },
} as const;

const MOST = 1_000_000;

function count(name: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= MOST) return number;
  throw new Error(`--${name} ${text}: give a whole number from 1 to ${MOST}.`);
}

function known(names: string[]): string[] {
  const unknown = names.find((name) => !entries.some((entry) => entry.name.startsWith(name)));
  if (unknown === undefined) return names;
  throw new Error(`--only ${unknown}: choose from ${entries.map((entry) => entry.name).join(', ')}.`);
}
