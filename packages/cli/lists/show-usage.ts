import type { UsageRow } from '../../client/connect-pawl.ts';
import type { Cli } from '../cli.ts';
import { makeVisible } from '../make-visible.ts';

/** The groups of usage, in the order of a line. */
export const GROUPS = ['day', 'project', 'model', 'key'] as const;

/** Writes a line for each group: what it is, then what was used. */
export function showUsage(rows: UsageRow[], isJson: boolean, { stdout }: Cli): number {
  for (const row of rows) stdout.write(`${isJson ? JSON.stringify(row) : lineOf(row)}\n`);
  return 0;
}

function lineOf(row: UsageRow): string {
  const groups = GROUPS.filter((group) => group in row).map((group) => makeVisible(row[group] ?? '–'));
  const { turns, rounds, tool_calls, input_tokens, output_tokens, cost_usd } = row;
  const figures = `${turns} turns, ${rounds} rounds, ${tool_calls} calls, ${input_tokens} + ${output_tokens} tokens`;
  return [...groups, figures, cost_usd === null ? 'cost not known' : `$${cost_usd}`].join('  ');
}
