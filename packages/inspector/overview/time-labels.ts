export type Bucket = { from: string; to: string };

type Label = { part: number; text: string };

const DAY_MINUTES = 24 * 60;

/** Nearer to the end there is no space for a label. */
const LAST = 0.92;

/** The labels below a chart, each at a part of its width: round times of the day, or days. */
export function timeLabelsOf(buckets: Bucket[]): Label[] {
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

/** A bucket in words: `20 Nov, 14:00 – 14:30`. */
export function formatBucket({ from, to }: Bucket): string {
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
