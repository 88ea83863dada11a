import { styleText } from 'node:util';
import type { Turn } from 'pawl/client';
import { makeVisible } from './make-visible.ts';
import type { Cli } from './run-cli.ts';

const STATUS_WIDTH = 16;
const INPUT_WIDTH = 48;
const COLOURS = {
  queued: 'dim',
  in_progress: 'cyan',
  requires_action: 'yellow',
  completed: 'green',
  incomplete: 'yellow',
  failed: 'red',
  cancelled: 'dim',
} as const;

const WHAT = {
  client: 'its client',
  approval: 'an approval',
  turn: 'the turn before it',
  retry: 'its next try',
  provider: 'a rate limit',
  slot: 'a worker',
} as const;

/** Writes a line for each of the first turns of a list; answers the exit code. */
export async function listTurns(
  turns: AsyncIterable<Turn>,
  { limit, isJson }: { limit: number; isJson: boolean },
  { stdout }: Cli,
): Promise<number> {
  let left = limit;
  for await (const turn of turns) {
    stdout.write(`${isJson ? JSON.stringify(turn) : lineOf(makeVisible(turn))}\n`);
    left -= 1;
    if (left === 0) break;
  }
  return 0;
}

function lineOf({ id, status, created_at, input, waiting }: Turn): string {
  const text = input.at(-1)?.content.replace(/\s+/g, ' ') ?? '';
  const short = text.length > INPUT_WIDTH ? `${text.slice(0, INPUT_WIDTH - 1)}…` : text;
  const startedAt = `${created_at.slice(0, 19).replace('T', ' ')}Z`;
  return `${id}  ${styleText(COLOURS[status], status.padEnd(STATUS_WIDTH))}${styleText('dim', startedAt)}  ${short}${waitOf({ status, waiting })}`;
}

/** What an active turn waits for, which its status does not tell. */
function waitOf({ status, waiting }: Pick<Turn, 'status' | 'waiting'>): string {
  if (!waiting || status === 'requires_action') return '';
  if (status === 'queued' && waiting.for === 'slot') return '';
  const until = waiting.until ? ` until ${waiting.until.slice(11, 19)}Z` : '';
  return styleText('yellow', `  waits for ${WHAT[waiting.for]}${until}`);
}
