import type { Guards } from './guards/all-guards.ts';
import { isAnyDue, returnJob } from './jobs.ts';
import { set } from './set.ts';
import { idleRun, type Run, type State, type Step, type Wakeups } from './state.ts';

/** Ends a run: its job is acknowledged, and its id names no run any more (R1). Its worker keeps its cache. */
export function leave(run: Run): void {
  set(run, { ...idleRun(), cached: run.cached });
}

/** Ends a job, which enqueues the due wakeups. From here on its run is no longer tracked. */
export function goEnqueue(run: Run, wakeups: Wakeups): void {
  const { job, jobOn, on } = run;
  leave(run);
  if (isAnyDue(wakeups)) set(run, { at: 'enqueuing', job, jobOn, on, wakeups });
}

/**
 * Continues with the step that the commit made due, by a new run (R1). The worker keeps its job, which belongs to an
 * earlier step, until it enqueues. A deploy may have begun since the worker decided to continue.
 */
export function goContinue(run: Run, on: Step, guards: Guards): void {
  const { job, jobOn, nextRun, stop } = run;
  leave(run);
  if (guards.continuedJobStays) set(run, { job, jobOn });
  set(run, { at: 'continuing', on, knowsLease: true, hasLease: nextRun === 'leased' });
  if (stop === 'shutdown') run.stop = stop;
}

/** Kills a worker: its lease and claim name no run, its job is delivered again, and its cache is lost. */
export function die(state: State, run: Run): void {
  returnJob(state, run);
  set(run, idleRun());
}

/** Reads the turn again for its due step (`stop-run.ts`). The run is still tracked. */
export function lookAgain(run: Run): void {
  const { job, jobOn, on, isFresh, knowsLease, hasLease, stop, hasSlept } = run;
  leave(run);
  set(run, { at: 'reloading', job, jobOn, on, isFresh, knowsLease, hasLease, stop, hasSlept });
}
