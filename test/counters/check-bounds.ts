import { printTable } from '../../bench/report/print-table.ts';
import type { Bound } from './bounds.ts';
import type { QueueName } from './count-turns.ts';

type Bounds = Record<string, Bound>;

const TABLE = 'test/counters/bounds.ts';

/** Returns a sentence for each counter that breaks its bound on a queue, and for each that only one side has. */
export function checkBounds(counters: Record<string, number>, bounds: Bounds, queue: QueueName): string[] {
  const expected = Object.entries(bounds).filter(([, { on = queue }]) => on === queue);
  const broken = expected.flatMap(([name, bound]) => {
    const counter = counters[name];
    if (counter === undefined) return [`${name}: not measured. Delete the bound in ${TABLE}, or count it again.`];
    return isWithin(counter, bound) ? [] : [`${name}: ${show(counter)} ${bound.unit}, ${describe(bound)}`];
  });
  const unknown = Object.keys(counters).filter((name) => !expected.some(([known]) => known === name));
  return [
    ...broken,
    ...unknown.map((name) => `${name}: ${show(counters[name] ?? 0)}, without a bound. Add a bound to ${TABLE}.`),
  ];
}

/** Returns the counters beside their bounds. */
export function showCounters(counters: Record<string, number>, bounds: Bounds): string {
  const rows = Object.entries(counters).map(([name, counter]) => {
    const bound = bounds[name];
    return [name, show(counter), bound ? limitOf(bound) : '', bound ? show(bound.measured) : '', bound?.unit ?? ''];
  });
  return printTable(['counter', 'measured', 'bound', 'when set', 'unit'], rows);
}

function isWithin(counter: number, bound: Bound): boolean {
  return 'atMost' in bound ? counter <= bound.atMost : counter >= bound.atLeast;
}

function describe(bound: Bound): string {
  const [mend, move] =
    'atMost' in bound ? ['Make the step cheaper', 'raise'] : ['Change the indexes to keep more updates HOT', 'lower'];
  return (
    `but the bound is ${limitOf(bound)} (${show(bound.measured)} when it was set). ` +
    `${mend}, or ${move} the bound in ${TABLE} and give the reason in the commit.`
  );
}

function limitOf(bound: Bound): string {
  return 'atMost' in bound ? `at most ${show(bound.atMost)}` : `at least ${show(bound.atLeast)}`;
}

function show(value: number): string {
  return String(Math.round(value * 10) / 10);
}
