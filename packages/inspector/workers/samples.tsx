import { ChartMarks, highestOf } from '../overview/chart-marks.tsx';

/** At a sample every 2 s, 5 minutes. */
const KEPT = 150;

/** Keeps the last values of counts by name, for as long as the page is open. */
export function makeSamples() {
  const kept = new Map<string, number[]>();
  return {
    keep: (name: string, value: number) => {
      kept.set(name, [...(kept.get(name) ?? []), value].slice(-KEPT));
    },
    valuesOf: (name: string): readonly number[] => kept.get(name) ?? [],
  };
}

export type Samples = ReturnType<typeof makeSamples>;

/** The samples of a count as a line, with the newest at the right. */
export function SampleLine({ name, values }: { name: string; values: readonly number[] }) {
  const before = Array.from({ length: KEPT - values.length }, () => null);
  const series = [{ name, kind: 'in_progress', values: [...before, ...values] }];
  const most = Math.max(0, ...values);
  return (
    <div class="sample-line" role="img" aria-label={`${name}: ${values.at(-1) ?? 0} now, at most ${most} in 5 minutes`}>
      <ChartMarks series={series} as="lines" top={Math.max(1, highestOf({ series, as: 'lines' }))} />
    </div>
  );
}
