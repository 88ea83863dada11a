/** The values of a chart by bucket, null if the bucket has no value. `kind` is a class that sets the colour. */
export type Series = { name: string; kind: string; values: (number | null)[] };

/** Stacked bars, or lines with the most important first. `top` is the value at the top of the chart. */
type Marks = { series: Series[]; as: 'bars' | 'lines'; top: number };

/** The height of all drawings. CSS stretches them to the size of their box. */
const HEIGHT = 100;

/** The fraction of its bucket that a bar fills. */
const BAR = 0.76;

/** The marks of a chart, without words. A bucket is one unit wide. */
export function ChartMarks({ series, as, top }: Marks) {
  const heightOf = (value: number) => Math.round((value / top) * HEIGHT * 1000) / 1000;
  const feet: number[] = [];
  const bars = ({ values }: Series) =>
    values.map((value, index) => {
      if (!value) return '';
      const foot = feet[index] ?? 0;
      feet[index] = foot + value;
      const height = heightOf(value);
      return `M${index + (1 - BAR) / 2} ${HEIGHT - heightOf(foot)}v${-height}h${BAR}v${height}z`;
    });
  // A line crosses buckets without a value. A single value is a dot.
  const line = ({ values }: Series) => {
    const points = values.flatMap((value, index) =>
      value === null ? [] : [`${index + 0.5} ${HEIGHT - heightOf(value)}`],
    );
    return points.length === 0 ? [] : [`M${points.join('L')}${points.length === 1 ? 'h0' : ''}`];
  };
  const paths = series.map((each) => {
    const d = (as === 'bars' ? bars(each) : line(each)).join('');
    return <path key={each.kind} class={`mark ${as} ${each.kind}`} d={d} vector-effect="non-scaling-stroke" />;
  });
  return (
    <svg viewBox={`0 0 ${series[0]?.values.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {as === 'bars' ? paths : paths.toReversed()}
    </svg>
  );
}

/** The headroom between the lines and the top. */
const HEADROOM = 1.05;

export function highestOf({ series, as }: Pick<Marks, 'series' | 'as'>): number {
  const heights = (series[0]?.values ?? []).map((_, index) => {
    const values = series.map((each) => each.values[index] ?? 0);
    return as === 'bars' ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values) * HEADROOM;
  });
  return Math.max(0, ...heights);
}

/** Returns the next round number that has a whole half. */
export function roundCeiling(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1)));
  return Math.max(2, [1, 2, 4, 6, 8, 10].map((factor) => factor * power).find((size) => size >= most) ?? most);
}

const DAY = 86_400_000;
const ROUND_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400];

export function durationCeiling(mostMs: number): number {
  if (mostMs <= 1000) return roundCeiling(mostMs);
  return ROUND_SECONDS.map((each) => each * 1000).find((each) => each >= mostMs) ?? Math.ceil(mostMs / DAY) * DAY;
}
