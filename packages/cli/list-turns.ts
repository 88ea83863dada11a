import { styleText } from 'node:util';
import type { ListedTurn } from 'pawl/client';
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

/** Writes a line for each of the first turns of a list; answers the exit code. */
export async function listTurns(
  turns: AsyncIterable<ListedTurn>,
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

function lineOf({ id, status, created_at, input }: ListedTurn): string {
  const text = input.at(-1)?.content.replace(/\s+/g, ' ') ?? '';
  const short = text.length > INPUT_WIDTH ? `${text.slice(0, INPUT_WIDTH - 1)}…` : text;
  const startedAt = `${created_at.slice(0, 19).replace('T', ' ')}Z`;
  return `${id}  ${styleText(COLOURS[status], status.padEnd(STATUS_WIDTH))}${styleText('dim', startedAt)}  ${short}`;
}
