import type { UsageRow } from '#client/connect-pawl.ts';
import { scrollable } from '../base/fact-list.tsx';
import { formatCount, formatShare, formatUsd } from '../base/words.ts';

const COLUMNS: [string, (row: UsageRow) => string][] = [
  ['Turns', ({ turns }) => formatCount(turns)],
  ['Rounds', ({ rounds }) => formatCount(rounds)],
  ['Tool calls', ({ tool_calls: calls }) => formatCount(calls)],
  ['Tokens in', ({ input_tokens: taken }) => formatCount(taken)],
  ['From cache', (row) => (row.cached_input_tokens > 0 ? formatShare(row) : '–')],
  ['Tokens out', ({ output_tokens: given }) => formatCount(given)],
  ['Cost', ({ cost_usd: usd }) => (usd === null ? '–' : formatUsd(usd))],
];

/** The usage of each model, and of each project if there are several. */
export function UsageTable({ rows }: { rows: UsageRow[] }) {
  const hasProjects = rows.some(({ project }) => project !== rows[0]?.project);
  const heads = ['Model', ...COLUMNS.map(([name]) => name)].map((name) => <th key={name}>{name}</th>);
  const body = rows.map((row) => (
    <tr key={`${row.project} ${row.model}`}>
      <th>{hasProjects ? `${row.model} · ${row.project}` : row.model}</th>
      {COLUMNS.map(([name, write]) => (
        <td key={name}>{write(row)}</td>
      ))}
    </tr>
  ));
  return (
    <section class="usage" {...scrollable('Usage by model')}>
      <table>
        <thead>
          <tr>{heads}</tr>
        </thead>
        <tbody>{body}</tbody>
      </table>
    </section>
  );
}
