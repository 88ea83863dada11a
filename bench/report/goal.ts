import { printTable } from './print-table.ts';

/** A bound for a figure, and whether it is reached. `got` is NaN if it was not measured. */
export type Goal = { what: string; wanted: string; got: number; unit: string; isReached: boolean };

export function atLeast(what: string, wanted: number, got: number, unit = ''): Goal {
  return { what, wanted: `≥ ${wanted}${unit}`, got, unit, isReached: got >= wanted };
}

export function atMost(what: string, wanted: number, got: number, unit = ''): Goal {
  return { what, wanted: `≤ ${wanted}${unit}`, got, unit, isReached: got <= wanted };
}

export function goalTable(goals: Goal[]): string {
  const rows = goals.map(({ what, wanted, got, unit, isReached }) => {
    if (Number.isNaN(got)) return [what, wanted, '', 'not measured'];
    return [what, wanted, `${got.toFixed(2)}${unit}`, isReached ? 'reached' : 'NOT reached'];
  });
  return printTable(['goal', 'wanted', 'measured', ''], rows);
}
