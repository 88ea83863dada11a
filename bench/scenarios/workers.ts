import type { ContenderSetup } from '../contender.ts';
import { pawl } from '../contenders/pawl.ts';
import { type Contest, measureInTurns } from '../measure-entry.ts';
import type { Mode } from '../mode.ts';
import type { Options } from '../read-options.ts';
import { figuresTable } from '../report/figures-table.ts';
import { atLeast } from '../report/goal.ts';
import { ratio } from '../report/summarize.ts';
import type { Scenario } from '../scenario.ts';
import { PLAIN_WORK, type Work } from '../work.ts';

/** How many workers play which turns, and by how much two should be faster than one. */
type Scale = { work: Work; counts: number[]; env: Record<string, string>; goal: number };

/**
 * With a model that takes its time the workers are the limit, as they may have few steps under way. With one that takes
 * none the processor is, which all of them share: a second worker gains nothing, and should take little away.
 */
const SCALES: Scale[] = [
  { work: { rounds: 4, thinkMs: 50 }, counts: [1, 2, 4], env: { PAWL_WORKER_CONCURRENCY: '4' }, goal: 1.8 },
  { work: PLAIN_WORK, counts: [1, 2], env: {}, goal: 0.9 },
];

/** What more workers gain, and what they cost where they gain nothing. */
export const workers: Scenario = async (harness, options) => {
  const scales = options.modes.flatMap((mode) => SCALES.map((scale) => ({ mode, ...scale })));
  const contests = scales.flatMap(({ mode, ...scale }) => contestsOf(mode, scale, options));
  const results = await measureInTurns(contests, harness, options.tries);
  const goals = scales.map(({ mode, work, goal }) => {
    const pair: [string, string] = [nameOf(mode, work, 2), nameOf(mode, work, 1)];
    return atLeast(`on ${mode}, ${work.thinkMs} ms: turns/s of two workers ÷ of one`, goal, ratio(results, pair));
  });
  const text = 'A model that takes 50 ms and 4 steps at once for each worker; then one that takes 0 ms and 64 steps.';
  return { text: `${text}\n${figuresTable(results)}`, goals };
};

function contestsOf(mode: Mode, { work, counts, env }: Scale, { turns, concurrency }: Options): Contest[] {
  return counts.map((count) => {
    const parts = ['api' as const, ...Array.from({ length: count }, () => 'worker' as const)];
    const open = (setup: ContenderSetup) => pawl(setup, mode, { parts, env });
    const name = nameOf(mode, work, count);
    return { name, entry: { name, kind: 'system', mode, open }, work, play: { turns, concurrency, alone: 0 } };
  });
}

function nameOf(mode: Mode, { thinkMs }: Work, count: number): string {
  return `pawl-${mode}, ${thinkMs} ms, ${count} worker${count === 1 ? '' : 's'}`;
}
