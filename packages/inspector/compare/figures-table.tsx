import { formatDuration, serverNow } from '../base/time.ts';
import type { Turn } from '../base/turn.ts';
import { formatCount, formatUsd } from '../base/words.ts';

type Figure = [name: string, of: (turn: Turn) => number | null, format: (value: number) => string];

const FIGURES: Figure[] = [
  ['Time', lastedMs, formatDuration],
  ['Rounds', ({ round }) => round, formatCount],
  ['Tool calls', ({ usage }) => usage.tool_calls, formatCount],
  ['Tokens in', ({ usage }) => usage.input_tokens, formatCount],
  ['Tokens out', ({ usage }) => usage.output_tokens, formatCount],
  ['Cost', ({ usage }) => usage.cost_usd, formatUsd],
];

function lastedMs({ started_at: from, completed_at: to }: Turn): number | null {
  return from === null ? null : (to === null ? serverNow() : Date.parse(to)) - Date.parse(from);
}

/** The figures of two turns, a column for each, with the change from the first to the second. */
export function FiguresTable({ turns }: { turns: [Turn, Turn] }) {
  return (
    <table class="figures">
      <thead>
        <tr>
          <th scope="col">Figure</th>
          {turns.map(({ id, model }) => (
            <th key={id} scope="col">
              {model}
            </th>
          ))}
          <th scope="col">Change</th>
        </tr>
      </thead>
      <tbody>
        {FIGURES.map(([name, of, format]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {turns.map((turn) => (
              <td key={turn.id}>{formatKnown(of(turn), format)}</td>
            ))}
            <td class="meta">{changeOf(of(turns[0]), of(turns[1]))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function formatKnown(value: number | null, format: (value: number) => string): string {
  return value === null ? '–' : format(value);
}

function changeOf(before: number | null, after: number | null): string {
  if (before === null || after === null || before === 0) return '–';
  if (before === after) return 'equal';
  const percent = ((after - before) / before) * 100;
  return `${percent > 0 ? '+' : '−'}${Math.abs(percent).toLocaleString('en', { maximumFractionDigits: 0 })} %`;
}
