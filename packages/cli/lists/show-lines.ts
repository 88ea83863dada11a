import { styleText } from 'node:util';
import type { Batch, Queue, UsageRow, WaitingRounds, Worker } from '../../client/connect-pawl.ts';
import type { Cli, JsonOption } from '../cli.ts';
import { makeVisible } from '../make-visible.ts';

/** Writes a line for each item, or JSON with `json`, and returns the exit code. */
export function showLines<Item>(
  items: Item[],
  lineOf: (item: Item) => string,
  { json }: JsonOption,
  { stdout }: Cli,
): number {
  for (const item of items) stdout.write(`${json ? JSON.stringify(item) : lineOf(makeVisible(item))}\n`);
  return 0;
}

/** Returns a line for a worker, and a line below it for each of its steps. */
export function workerLine({ id, started_at, concurrency, steps }: Worker): string {
  const head = `${id}  ${styleText('dim', `since ${timeOf(started_at)}`)}  ${steps.length} of ${concurrency}`;
  return [head, ...steps.map(({ turn_id, step, since }) => `  ${turn_id}  ${step}  since ${timeOf(since)}`)].join('\n');
}

export function queueLine({ name, waiting, active, rate_limited_until }: Queue): string {
  const limit = rate_limited_until ? styleText('yellow', `  rate-limited until ${timeOf(rate_limited_until)}`) : '';
  return `${name.padEnd(24)}  ${waiting} waiting  ${active} active${limit}`;
}

/** Returns a line for a batch, or for the rounds of a model that wait for a batch. */
export function batchLine(item: Batch | WaitingRounds): string {
  const { model, requests } = item;
  if (item.object === 'batch.waiting') {
    const rounds = requests === 1 ? '1 round waits' : `${requests} rounds wait`;
    return `${model}  ${rounds} for a batch, at most ${item.age_seconds} s so far`;
  }
  const { id, state, created_at, answered, refusal_code: code } = item;
  const refused = code ? styleText('yellow', `  refused: ${code}`) : '';
  const head = `${id}  ${state.padEnd(STATE_WIDTH)}${styleText('dim', timeOf(created_at))}`;
  return `${head}  ${model}  ${answered} of ${requests} answered${refused}`;
}

/** The width of the longest state of a batch, with a gap. */
const STATE_WIDTH = 'collected'.length + 2;

/** The groups of usage, in the order of a line. */
export const GROUPS = ['day', 'project', 'model', 'key'] as const;

/** Returns a row of usage as a line: groups, then figures. */
export function usageLine(row: UsageRow): string {
  const groups = GROUPS.filter((group) => group in row).map((group) => row[group] ?? '–');
  const { turns, rounds, tool_calls, input_tokens, output_tokens, cost_usd } = row;
  const figures = `${turns} turns, ${rounds} rounds, ${tool_calls} calls, ${input_tokens} + ${output_tokens} tokens`;
  return [...groups, figures, cost_usd === null ? 'cost unknown' : `$${cost_usd}`].join('  ');
}

/** Returns a time of the API in UTC, to the second. */
export function timeOf(time: string): string {
  return `${time.slice(0, 19).replace('T', ' ')}Z`;
}
