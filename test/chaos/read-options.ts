import { parseArgs } from 'node:util';
import { type FaultKind, isTrouble, kindsFor, type QueueMode, type StoreMode } from './faults/fault-kinds.ts';

/**
 * The promises that a run judges. `all`: all promises. `of-pawl`: without the run's own promise that each fault had
 * an effect. `core`: lost, duplicated, stuck, an `at_most_once` call made twice. The core does not depend on the
 * speed of the machine.
 */
export type Verdict = 'all' | 'of-pawl' | 'core';

/** Which turns of the load are asked by batch: a few, or all. */
export type BatchShare = 'some' | 'all';

export type Options = {
  turns: number;
  faults: number;
  seconds: number;
  seed: number;
  queue: QueueMode;
  stores: StoreMode;
  kinds: FaultKind[];
  workers: number;
  apis: number;
  /** The messages of clients that speak into the same conversations, and the numbers of clients and conversations. */
  messages: number;
  talkers: number;
  conversations: number;
  /** The turns that are forked, rerun and deleted concurrently. */
  origins: number;
  batches: BatchShare;
  /** The broken promises that fail the run. The others are reported. */
  verdict: Verdict;
  /** A folder for logs and the history. Without a folder they are removed with the run. */
  keep: string | undefined;
};

/** Reads the command line. A mistake gives one sentence and exit code 2. */
export function readOptions(args: string[]): Options {
  try {
    const { values } = parseArgs({ args, options });
    const queue = oneOf('queue', values.queue, ['redis', 'postgres']);
    const stores = oneOf('stores', values.stores, ['single', 'failover']);
    const batches = oneOf('batches', values.batches, ['some', 'all']);
    const kinds = kindsFor(queue, stores);
    return {
      turns: count('turns', values.turns),
      faults: count('faults', values.faults),
      seconds: count('seconds', values.seconds),
      seed: values.seed === undefined ? Math.floor(Math.random() * 1_000_000) : count('seed', values.seed),
      queue,
      stores,
      batches,
      kinds: kindsOf(values.only, batches === 'all' ? kinds.filter((kind) => !isTrouble(kind)) : kinds),
      workers: count('workers', values.workers),
      apis: count('apis', values.apis),
      messages: count('messages', values.messages),
      talkers: count('talkers', values.talkers),
      conversations: count('conversations', values.conversations),
      origins: count('origins', values.origins),
      verdict: oneOf('verdict', values.verdict, ['all', 'of-pawl', 'core']),
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
  stores: { type: 'string', default: 'single' },
  only: { type: 'string', default: '' },
  workers: { type: 'string', default: '2' },
  apis: { type: 'string', default: '2' },
  messages: { type: 'string', default: '60' },
  talkers: { type: 'string', default: '4' },
  conversations: { type: 'string', default: '6' },
  origins: { type: 'string', default: '12' },
  batches: { type: 'string', default: 'some' },
  verdict: { type: 'string', default: 'all' },
  keep: { type: 'string' },
} as const;

const MOST = 1_000_000;

function count(name: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0 && number <= MOST) return number;
  throw new Error(`--${name} ${text}: give a whole number from 0 to ${MOST}.`);
}

function oneOf<Choice extends string>(name: string, text: string, choices: Choice[]): Choice {
  const chosen = choices.find((choice) => choice === text);
  if (chosen !== undefined) return chosen;
  throw new Error(`--${name} ${text}: choose ${choices.join(' or ')}.`);
}

function kindsOf(text: string, known: FaultKind[]): FaultKind[] {
  const wanted = text.split(',').filter((name) => name !== '');
  const unknown = wanted.find((name) => !known.some((kind) => kind === name));
  if (unknown !== undefined) throw new Error(`--only ${unknown}: choose from ${known.join(', ')}.`);
  return wanted.length === 0 ? known : known.filter((kind) => wanted.includes(kind));
}
