import type { FaultRecord, History } from '../history.ts';

/** The share of faults that must have met turns under way, or the run has shown nothing. */
const LEAST_SHARE = 0.7;

/** Faults that never happened, and a run whose faults met nobody at work. */
export function emptyFaults({ faults, rows }: Pick<History, 'faults' | 'rows'>): string[] {
  const unfired = faults.filter(({ fired }) => fired === null);
  const met = faults.filter((fault) => underWay(fault, rows.turns) > 0);
  const isEmpty = faults.length > 0 && met.length < faults.length * LEAST_SHARE;
  return [
    ...unfired.map(({ number, kind }) => `fault ${number}, ${kind}, did not fire`),
    ...(isEmpty ? [`only ${met.length} of ${faults.length} faults met a turn under way`] : []),
  ];
}

/** How many turns were under way at some moment of a fault. */
export function underWay({ from, endedAt }: FaultRecord, turns: History['rows']['turns']): number {
  return turns.filter(({ createdAt, completedAt }) => createdAt < endedAt && (completedAt ?? Infinity) > from).length;
}
