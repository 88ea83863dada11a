import { printTable } from '../../../bench/report/print-table.ts';
import type { CheckedInvariant } from '../invariants/check-invariants.ts';
import type { Options } from '../read-options.ts';
import type { Figures, Spread } from './figures.ts';

const MAX_COMPLAINTS = 8;

export function report(
  figures: Figures,
  checked: CheckedInvariant[],
  { seed, queue, stores, seconds }: Options,
): string {
  const { turns, lost, duplicated, stuck, bookedTwice, modelCalls, extraModelCalls } = figures;
  const injected = figures.faults.reduce((sum, fault) => sum + fault.injected, 0);
  const share = ((100 * extraModelCalls) / Math.max(1, modelCalls)).toFixed(1);
  return [
    `seed ${seed}, queue on ${queue}, stores ${stores}: ${turns} turns, ${injected} faults in ${seconds} s`,
    '',
    printTable(
      ['fault', 'injected', 'effective', 'turns met', 'recovery p50', 'longest'],
      figures.faults.map(faultRow),
    ),
    '',
    `lost ${lost}, duplicated ${duplicated}, stuck ${stuck}, at_most_once violations ${bookedTwice}`,
    `duplicate model calls ${extraModelCalls} of ${modelCalls} (${share} %)`,
    describeBatches(figures.batches),
    `delay caused: ${describeSpread(figures.delays)}`,
    `recovery after a fault: ${describeSpread(figures.recoveries)}`,
    `  for each turn that one fault stopped: ${describeSpread(figures.cleanRecoveries)}`,
    `  for each turn that several faults stopped: ${describeSpread(figures.mixedRecoveries)}`,
    `  slowest: ${figures.slowest.map(({ ms, fault }) => `${inSeconds(ms)} ${fault.kind} ${fault.number}`).join(', ')}`,
    `latest row beyond its due time: ${inSeconds(figures.latestMs)}`,
    `the driver itself was late by: p99 ${Math.round(figures.driverLag.p99)} ms, longest ${Math.round(figures.driverLag.max)} ms`,
    '',
    ...checked.flatMap(describeInvariant),
  ].join('\n');
}

function describeBatches({ batches, requests, used, retries, dropped }: Figures['batches']): string {
  return `${requests} requests in ${batches} batches: ${used} rounds, ${retries} retries, ${dropped} dropped answers`;
}

function faultRow({ kind, injected, effective, met, recovery }: Figures['faults'][number]): string[] {
  const times = recovery.count > 0 ? [inSeconds(recovery.p50), inSeconds(recovery.max)] : ['', ''];
  return [kind, String(injected), String(effective), String(met), ...times];
}

const MARKS = { kept: '✓', broken: '✗', reported: '–' };

function describeInvariant({ id, promise, complaints, status }: CheckedInvariant): string[] {
  const shown = complaints.slice(0, MAX_COMPLAINTS).map((complaint) => `      ${complaint}`);
  const rest = complaints.length - shown.length;
  const more = rest > 0 ? [`      … and ${rest} more`] : [];
  return [`${MARKS[status]} ${id.padEnd(3)} ${promise}`, ...shown, ...more];
}

function describeSpread({ count, p50, p99, max }: Spread): string {
  return `p50 ${inSeconds(p50)}, p99 ${inSeconds(p99)}, longest ${inSeconds(max)} (${count})`;
}

function inSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
