import { useState } from 'preact/hooks';
import { formatRoundDuration } from '../base/time.ts';
import { formatShort } from '../base/words.ts';
import { ChartMarks, durationCeiling, highestOf, roundCeiling, type Series } from './chart-marks.tsx';

export type Bucket = { from: string; to: string };

/** A chart with its words. `headline` sums up the range. Bars are counts, and lines are durations in ms. */
export type Card = {
  title: string;
  headline: string;
  series: (Series & { total: string })[];
  as: 'bars' | 'lines';
};

/** The format of a chart's values, and how its top is rounded up. */
const SCALES = {
  bars: { format: formatShort, ceiling: roundCeiling },
  lines: { format: formatRoundDuration, ceiling: durationCeiling },
};

type Pointing = { at: number; point: (index: number) => void; open: (bucket: Bucket) => void };

/**
 * Charts over the same buckets. A person points at a bucket by mouse, finger or arrow keys, and all charts show its
 * values. A click or Enter opens the bucket.
 */
export function ChartCards({ buckets, cards, open }: { buckets: Bucket[]; cards: Card[]; open: Pointing['open'] }) {
  const [at, point] = useState(-1);
  return (
    <div class="charts">
      {cards.map((card) => (
        <ChartCard key={card.title} card={card} buckets={buckets} pointing={{ at, point, open }} />
      ))}
    </div>
  );
}

type ChartCardProps = { card: Card; buckets: Bucket[]; pointing: Pointing };

function ChartCard({ card, buckets, pointing }: ChartCardProps) {
  const bucket = buckets[pointing.at];
  const when = bucket && formatBucket(bucket);
  const readings = card.series.map(({ name, kind, total, values }) => {
    const value = values[pointing.at] ?? null;
    return { name, kind, text: bucket ? (value === null ? '–' : SCALES[card.as].format(value)) : total };
  });
  const spoken = bucket ? `${when}: ${readings.map(({ name, text }) => `${name} ${text}`).join(', ')}` : card.headline;
  return (
    <section class="panel chart" aria-label={card.title}>
      <header class="actions">
        <h2>{card.title}</h2>
        <span class="meta">{when}</span>
      </header>
      <p class="headline">{card.headline}</p>
      <Plot card={card} buckets={buckets} pointing={pointing} spoken={spoken} />
      <ul class="meta actions">
        {readings.map(({ name, kind, text }) => (
          <li key={name}>
            <i class={`key ${kind}`} />
            {name} <b>{text}</b>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Plot({ card, buckets, pointing: { at, point, open }, spoken }: ChartCardProps & { spoken: string }) {
  const { title, series, as } = card;
  const { format, ceiling } = SCALES[as];
  const top = ceiling(highestOf(card));
  const last = buckets.length - 1;
  const pointTo = ({ clientX, currentTarget }: PointerEvent & { currentTarget: HTMLElement }) => {
    const { left, width } = (currentTarget.querySelector('.marks') ?? currentTarget).getBoundingClientRect();
    point(Math.min(Math.max(Math.floor(((clientX - left) / width) * buckets.length), 0), last));
  };
  const openAt = () => buckets[at] && open(buckets[at]);
  const press = (event: KeyboardEvent) => {
    const next = keyed(event.key, at, last);
    if (next === null && event.key !== 'Enter') return;
    event.preventDefault();
    event.stopPropagation();
    if (next === null) openAt();
    else point(next);
  };
  const leave = () => point(-1);
  const handlers = { onPointerMove: pointTo, onPointerLeave: leave, onBlur: leave, onClick: openAt, onKeyDown: press };
  const value = {
    'aria-valuemin': 0,
    'aria-valuemax': last,
    'aria-valuetext': spoken,
    'aria-label': `${title} over time`,
  };
  const looks = { class: at >= 0 ? 'plot pointed' : 'plot', style: { '--count': buckets.length, '--at': at } };
  return (
    <div {...looks} {...handlers} {...value} role="slider" aria-valuenow={Math.max(0, at)} tabIndex={0}>
      <Labels looks="values" labels={[0, 0.5, 1].map((part) => ({ part, text: format(top * part) }))} />
      <div class="marks">
        <ChartMarks series={series} as={as} top={top} />
        <i class="pointer" />
      </div>
      <Labels looks="times" labels={timeLabelsOf(buckets)} />
    </div>
  );
}

function Labels({ looks, labels }: { looks: string; labels: { part: number; text: string }[] }) {
  const views = labels.map(({ part, text }) => (
    <span key={part} style={{ '--part': part }}>
      {text}
    </span>
  ));
  return <div {...{ class: looks, 'aria-hidden': 'true' }}>{views}</div>;
}

/** Returns the bucket that a key points at, or null. The first Escape ends the pointing. */
function keyed(key: string, at: number, last: number): number | null {
  if (key === 'Home') return 0;
  if (key === 'End') return last;
  if (key === 'ArrowLeft') return at === -1 ? last : Math.max(0, at - 1);
  if (key === 'ArrowRight') return Math.min(last, at + 1);
  return key === 'Escape' && at !== -1 ? -1 : null;
}

type Label = { part: number; text: string };

const DAY_MINUTES = 24 * 60;

/** The position after which there is no space for a label. */
const LAST = 0.92;

/** Returns the labels below a chart, each at a fraction of its width: round times of the day, or days. */
function timeLabelsOf(buckets: Bucket[]): Label[] {
  const minutes = (Date.parse(buckets.at(-1)?.to ?? '') - Date.parse(buckets[0]?.from ?? '')) / 60_000;
  const every = [5, 15, 60, 360].find((step) => minutes / step <= 7) ?? DAY_MINUTES;
  const write = every === DAY_MINUTES ? formatDay : formatClock;
  return buckets.flatMap(({ from }, index) => {
    const [at, part] = [new Date(from), index / buckets.length];
    const minuteOfDay = at.getHours() * 60 + at.getMinutes() + at.getSeconds() / 60;
    const isRound = minuteOfDay % every < minutes / buckets.length;
    return isRound && part < LAST ? [{ part, text: write(at) }] : [];
  });
}

function formatBucket({ from, to }: Bucket): string {
  const [begin, end] = [new Date(from), new Date(to)];
  const date = (at: Date) => at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
  const isOneDay = date(begin) === date(new Date(end.getTime() - 1));
  return `${date(begin)}, ${formatClock(begin)} – ${isOneDay ? '' : `${date(end)}, `}${formatClock(end)}`;
}

function formatDay(at: Date) {
  return at.toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric' });
}

function formatClock(at: Date) {
  return at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
}
