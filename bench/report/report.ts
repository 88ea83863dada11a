import { limitsOf } from '../entries.ts';
import type { Figures } from '../measure.ts';
import { printTable } from './print-table.ts';
import { type Results, ratio, typical } from './summarize.ts';

/** The figures of all entries and what part of each limit Pawl reaches, to be read in a terminal. */
export function report(results: Results): string {
  const rows = [...results].map(([name, repeats]) => ({ name, figures: typical(repeats) }));
  const processes = [...new Set(rows.flatMap(({ figures }) => Object.keys(figures?.cpuMs ?? {})))];
  const heads = ['', 'turns/s', 'p50 ms', 'p99 ms', 'commits', 'WAL KB', 'CPU ms', ...processes];
  const figures = printTable(
    heads,
    rows.map(({ name, figures }) => [name, ...(figures ? cells(figures, processes) : [])]),
  );
  return `${figures}\n${LEGEND}\n\n${ratios(results)}\n`;
}

const LEGEND =
  '(p50, p99: one turn from its request to its end; commits, WAL and CPU: for one turn, of all processes and of each)';

function cells({ turnsPerSecond, p50Ms, p99Ms, commits, walBytes, cpuMs }: Figures, processes: string[]): string[] {
  const all = Object.values(cpuMs).reduce((sum, ms) => sum + ms, 0);
  const written = [commits.toFixed(1), (walBytes / 1024).toFixed(1)];
  const cpu = [all, ...processes.map((name) => cpuMs[name] ?? 0)].map((ms) => ms.toFixed(2));
  return [turnsPerSecond.toFixed(0), p50Ms.toFixed(1), p99Ms.toFixed(1), ...written, ...cpu];
}

function ratios(results: Results): string {
  const pairs = Object.entries(limitsOf).flatMap(([name, limits]) => limits.map((limit) => ({ name, limit })));
  const rows = pairs.flatMap(({ name, limit }) => {
    const reached = ratio(results, name, limit);
    return reached === undefined ? [] : [[`${name} ÷ ${limit}`, reached.toFixed(3)]];
  });
  return rows.length > 0
    ? printTable(['turns/s of one ÷ turns/s of the other', 'ratio'], rows)
    : 'No ratio: Pawl and a limit are needed for one.';
}
