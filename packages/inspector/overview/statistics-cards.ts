import type { Statistics } from '#client/connect-pawl.ts';
import { formatDuration } from '../base/time.ts';
import { formatCount, formatShort, formatUsd, STATUS_WORDS } from '../base/words.ts';
import type { Card } from './chart-cards.tsx';

/** The statuses from the foot of a bar to its top. */
const STACKED = ['completed', 'cancelled', 'incomplete', 'queued', 'in_progress', 'requires_action', 'failed'] as const;

export function turnsOf({ turns }: Pick<Statistics, 'turns'>): number {
  return Object.values(turns).reduce((sum, count) => sum + count, 0);
}

/** Returns the charts of the statistics. `usd` is the cost of their turns, or 0 if it is unknown. */
export function statisticsCards(statistics: Statistics, usd = 0): Card[] {
  const { turns, buckets, input_tokens: taken, output_tokens: given } = statistics;
  const shown = STACKED.filter((status) => status === 'completed' || turns[status] > 0);
  const failing = (turns.failed / (turns.completed + turns.incomplete + turns.failed)) * 100;
  const failed = `${failing.toLocaleString('en', { maximumSignificantDigits: 2 })} % failed`;
  const cost = usd > 0 ? ` · ${formatUsd(usd)}` : '';
  return [
    {
      title: 'Turns',
      as: 'bars',
      headline: `${formatCount(turnsOf(statistics))}${turns.failed > 0 ? ` · ${failed}` : ''}`,
      series: shown.map((kind) => ({
        name: STATUS_WORDS[kind],
        kind,
        total: formatCount(turns[kind]),
        values: buckets.map((bucket) => bucket.turns[kind]),
      })),
    },
    {
      title: 'Tokens',
      as: 'bars',
      headline: `${formatShort(taken)} in · ${formatShort(given)} out${cost}`,
      series: [
        { name: 'In', kind: 'taken', total: formatShort(taken), values: buckets.map((each) => each.input_tokens) },
        { name: 'Out', kind: 'given', total: formatShort(given), values: buckets.map((each) => each.output_tokens) },
      ],
    },
    timesCard('Duration', statistics, 'duration_ms'),
    timesCard('Queue wait', statistics, 'queue_wait_ms'),
  ];
}

function timesCard(title: string, { buckets, ...whole }: Statistics, field: 'duration_ms' | 'queue_wait_ms'): Card {
  const times = whole[field];
  const series = (['p50', 'p95'] as const).map((part) => ({
    name: part === 'p50' ? 'Median' : 'p95',
    kind: `${field} ${part}`,
    total: times ? formatDuration(times[part]) : '–',
    values: buckets.map((bucket) => bucket[field]?.[part] ?? null),
  }));
  const headline = times ? `${formatDuration(times.p50)} median · ${formatDuration(times.p95)} p95` : 'No value yet';
  return { title, as: 'lines', headline, series };
}
