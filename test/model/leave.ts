import { isAnyDue, returnJob } from './jobs.ts';
import { set } from './set.ts';
import { idleRun, type Run, type State, type Wakeups } from './state.ts';

/** A run is over: its job is acknowledged, and its id names no run from now on (R1). Its worker keeps its cache. */
export function leave(run: Run): void {
  set(run, { ...idleRun(), cached: run.cached });
}

/** A job ends by enqueuing what is due; from here on its run is no longer tracked. */
export function goEnqueue(run: Run, wakeups: Wakeups): void {
  const { job, on } = run;
  leave(run);
  if (isAnyDue(wakeups)) set(run, { at: 'enqueuing', job, on, wakeups });
}

/** A worker dies: its lease and its claim name no run any more, its job is handed out again, its cache is gone. */
export function die(state: State, run: Run): void {
  returnJob(state, run);
  set(run, idleRun());
}

/** Reads the turn again for what is due (`stop-run.ts`); the run is still tracked. */
export function lookAgain(run: Run): void {
  const { job, on, isFresh, knowsLease, hasLease, stop, hasSlept } = run;
  leave(run);
  set(run, { at: 'reloading', job, on, isFresh, knowsLease, hasLease, stop, hasSlept });
}
