import { styleText } from 'node:util';
import type { ListedTurn } from '../../client/connect-pawl.ts';
import type { Cli } from '../cli.ts';
import { makeVisible } from '../make-visible.ts';
import { saidText } from '../said-text.ts';
import { columnsOf } from '../screen.ts';
import { cutText, textWidth } from '../wrap-text.ts';
import { timeOf } from './show-lines.ts';

const STATUS_WIDTH = 16;
/** The width of an input if the output is no terminal. */
const INPUT_WIDTH = 48;
const NARROWEST = 24;
const COLOURS = {
  queued: 'dim',
  in_progress: 'cyan',
  requires_action: 'yellow',
  completed: 'green',
  incomplete: 'yellow',
  failed: 'red',
  cancelled: 'dim',
} as const satisfies Record<ListedTurn['status'], string>;

export type Status = keyof typeof COLOURS;
/** The statuses of turns. The compiler checks that each has a colour. */
export const STATUSES = Object.keys(COLOURS) as Status[];

const WAITS_FOR = {
  client: 'its client',
  approval: 'an approval',
  start_at: 'its time',
  turn: 'the turn before it',
  batch: 'its batch',
  retry: 'its next attempt',
  provider: 'a rate limit',
  project_quota: 'another turn of its project',
  slot: 'a worker',
} as const;

/** Writes a line for each of the first turns of a list, and returns the exit code. */
export async function listTurns(
  turns: AsyncIterable<ListedTurn>,
  { limit, isJson }: { limit: number; isJson: boolean },
  { stdout }: Cli,
): Promise<number> {
  let left = limit;
  for await (const turn of turns) {
    stdout.write(`${isJson ? JSON.stringify(turn) : lineOf(makeVisible(turn), stdout)}\n`);
    left -= 1;
    if (left === 0) break;
  }
  return 0;
}

/** Returns the line of a turn. In a terminal the input fills the row, or has its own line if the row has no space. */
function lineOf({ id, status, created_at, input, waiting }: ListedTurn, stdout: Cli['stdout']): string {
  const head = `${id}  ${styleText(COLOURS[status], status.padEnd(STATUS_WIDTH))}${styleText('dim', timeOf(created_at))}  `;
  const wait = waitOf({ status, waiting });
  const text = saidText(input.at(-1)?.content ?? '').replace(/\s+/g, ' ');
  if (!stdout.isTTY) return head + cutText(text, INPUT_WIDTH) + wait;
  const left = columnsOf(stdout) - textWidth(head) - textWidth(wait);
  return left < NARROWEST
    ? `${head}${wait.trimStart()}\n  ${cutText(text, columnsOf(stdout) - 2)}`
    : head + cutText(text, left) + wait;
}

/** Returns why an active turn waits, if its status does not say so. */
function waitOf({ status, waiting }: Pick<ListedTurn, 'status' | 'waiting'>): string {
  if (!waiting || status === 'requires_action') return '';
  if (waiting.note) return styleText('yellow', `  ${waiting.note}`);
  if (status === 'queued' && waiting.for === 'slot') return '';
  const from = waiting.for === 'start_at' ? 0 : 11;
  const until = waiting.until ? ` until ${waiting.until.slice(from, 19).replace('T', ' ')}Z` : '';
  return styleText('yellow', `  waits for ${WAITS_FOR[waiting.for]}${until}`);
}
