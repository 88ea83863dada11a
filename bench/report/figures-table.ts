import type { Figures, Latency } from '../measure.ts';
import { printTable } from './print-table.ts';
import { type Results, rate, typical, wholeCpu } from './summarize.ts';

/** The processes in the order in which a turn reaches them. All others are last. */
const PROCESSES = ['driver', 'api', 'worker', 'postgres', 'redis', 'simulator'];

/** Makes a table with one row for each name of the results. */
export function figuresTable(results: Results): string {
  const used = [...results.values()].flat().flatMap(({ cpuMs }) => Object.keys(cpuMs));
  const processes = [...new Set([...PROCESSES.filter((name) => used.includes(name)), ...used])];
  const heads = ['', 'turns/s', 'from', 'to', 'p50', 'p99', 'alone p50', 'p99'];
  const rows = [...results].map(([name, tries]) => [name, ...cells(tries, processes)]);
  const table = printTable([...heads, 'CPU ms', ...processes, 'commits', 'fsyncs', 'WAL KB'], rows);
  return `${table}\n(from, to: slowest and fastest try. p50, p99: milliseconds of one turn under load, and alone.
 CPU, commits, fsyncs, WAL: for one turn; the row is the try in the middle.)`;
}

function cells(tries: Figures[], processes: string[]): string[] {
  const figures = typical(tries);
  if (!figures) return [];
  const { turnsPerSecond, loaded, alone, cpuMs, commits, fsyncs, walBytes } = figures;
  const rates = tries.map(rate);
  const cpu = [wholeCpu(figures), ...processes.map((name) => cpuMs[name] ?? 0)].map((ms) => ms.toFixed(2));
  return [
    ...[turnsPerSecond, Math.min(...rates), Math.max(...rates)].map((value) => value.toFixed(value < 100 ? 1 : 0)),
    ...latency(loaded),
    ...latency(alone),
    ...cpu,
    ...[commits, fsyncs, walBytes / 1024].map((value) => value.toFixed(1)),
  ];
}

function latency(known: Latency | null): string[] {
  return known ? [known.p50Ms.toFixed(1), known.p99Ms.toFixed(1)] : ['', ''];
}
