import { printTable } from '../../bench/report/print-table.ts';
import type { Verdict } from '../judge.ts';
import type { Options } from '../read-options.ts';
import type { Figures, Spread } from './figures.ts';

const MOST_COMPLAINTS = 8;

/** The run in words, for a terminal. */
export function report(figures: Figures, verdicts: Verdict[], { seed, queue, seconds }: Options): string {
  const { turns, lost, duplicated, stuck, bookedTwice, modelCalls, extraModelCalls } = figures;
  const struck = figures.faults.reduce((sum, fault) => sum + fault.struck, 0);
  const share = ((100 * extraModelCalls) / Math.max(1, modelCalls)).toFixed(1);
  return [
    `seed ${seed}, queue on ${queue}: ${turns} turns, ${struck} faults in ${seconds} s`,
    '',
    printTable(['fault', 'struck', 'fired', 'turns met', 'recovery p50', 'longest'], figures.faults.map(faultRow)),
    '',
    `lost ${lost}, duplicated ${duplicated}, stuck ${stuck}, at_most_once violations ${bookedTwice}`,
    `duplicate model calls ${extraModelCalls} of ${modelCalls} (${share} %)`,
    `delay caused: ${seconds3(figures.delays)}`,
    `recovery after a fault: ${seconds3(figures.recoveries)}`,
    `  of each turn hit by one fault alone: ${seconds3(figures.cleanRecoveries)}`,
    `  of each turn hit by several: ${seconds3(figures.mixedRecoveries)}`,
    `  slowest: ${figures.slowest.map(({ ms, fault }) => `${inSeconds(ms)} ${fault.kind} ${fault.number}`).join(', ')}`,
    `latest row beyond its due time: ${inSeconds(figures.latestMs)}`,
    `the driver itself was late by: p99 ${Math.round(figures.driverLag.p99)} ms, longest ${Math.round(figures.driverLag.max)} ms`,
    '',
    ...verdicts.flatMap(tell),
  ].join('\n');
}

function faultRow({ kind, struck, fired, met, recovery }: Figures['faults'][number]): string[] {
  const times = recovery.count > 0 ? [inSeconds(recovery.p50), inSeconds(recovery.max)] : ['', ''];
  return [kind, String(struck), String(fired), String(met), ...times];
}

const MARKS = { kept: '✓', broken: '✗', told: '–' };

function tell({ id, promise, complaints, status }: Verdict): string[] {
  const shown = complaints.slice(0, MOST_COMPLAINTS).map((complaint) => `      ${complaint}`);
  const rest = complaints.length - shown.length;
  const more = rest > 0 ? [`      … and ${rest} more`] : [];
  return [`${MARKS[status]} ${id.padEnd(3)} ${promise}`, ...shown, ...more];
}

function seconds3({ count, p50, p99, max }: Spread): string {
  return `p50 ${inSeconds(p50)}, p99 ${inSeconds(p99)}, longest ${inSeconds(max)} (${count})`;
}

function inSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
