import { parseArgs } from 'node:util';
import { type FaultKind, kindsFor, type QueueMode } from './faults/fault-kinds.ts';

/** The options of the command line. */
export type Options = {
  turns: number;
  faults: number;
  seconds: number;
  seed: number;
  queue: QueueMode;
  /** The kinds of faults to choose from. */
  kinds: FaultKind[];
  workers: number;
  apis: number;
  /** Whether a fault without effect fails the run or is only reported. */
  vacuity: 'fail' | 'report';
  /** A folder for logs and the history; without one they are removed with the run. */
  keep: string | undefined;
};

/** Reads the command line; a mistake in it is one sentence and exit code 2. */
export function readOptions(args: string[]): Options {
  try {
    const { values } = parseArgs({ args, options });
    const queue = queueOf(values.queue);
    return {
      turns: count('turns', values.turns),
      faults: count('faults', values.faults),
      seconds: count('seconds', values.seconds),
      seed: values.seed === undefined ? Math.floor(Math.random() * 1_000_000) : count('seed', values.seed),
      queue,
      kinds: kindsOf(values.only, queue),
      workers: count('workers', values.workers),
      apis: count('apis', values.apis),
      vacuity: vacuityOf(values.vacuity),
      keep: values.keep,
    };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(2);
  }
}

const options = {
  turns: { type: 'string', default: '500' },
  faults: { type: 'string', default: '60' },
  seconds: { type: 'string', default: '120' },
  seed: { type: 'string' },
  queue: { type: 'string', default: 'redis' },
  only: { type: 'string', default: '' },
  workers: { type: 'string', default: '2' },
  apis: { type: 'string', default: '2' },
  vacuity: { type: 'string', default: 'fail' },
  keep: { type: 'string' },
} as const;

const MOST = 1_000_000;

function count(name: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0 && number <= MOST) return number;
  throw new Error(`--${name} ${text}: give a whole number from 0 to ${MOST}.`);
}

function queueOf(text: string): QueueMode {
  if (text === 'redis' || text === 'postgres') return text;
  throw new Error(`--queue ${text}: choose redis or postgres.`);
}

function vacuityOf(text: string): Options['vacuity'] {
  if (text === 'fail' || text === 'report') return text;
  throw new Error(`--vacuity ${text}: choose fail or report.`);
}

function kindsOf(text: string, queue: QueueMode): FaultKind[] {
  const known = kindsFor(queue);
  const wanted = text.split(',').filter((name) => name !== '');
  const unknown = wanted.find((name) => !known.some((kind) => kind === name));
  if (unknown !== undefined) throw new Error(`--only ${unknown}: choose from ${known.join(', ')}.`);
  return wanted.length === 0 ? known : known.filter((kind) => wanted.includes(kind));
}
