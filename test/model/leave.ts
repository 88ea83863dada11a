import { isAnyOwed, returnJob } from './jobs.ts';
import { set } from './set.ts';
import { idleRun, type Rings, type Run, type State } from './state.ts';

/** A run is over: its job is acknowledged, and its id is nobody's from now on (R1). Its worker remembers what it left. */
export function leave(run: Run): void {
  set(run, { ...idleRun(), left: run.left });
}

/** A job ends by ringing for what is owed; from here on nobody vouches for its run. */
export function goRing(run: Run, rings: Rings): void {
  const { job, on } = run;
  leave(run);
  if (isAnyOwed(rings)) set(run, { at: 'ringing', job, on, rings });
}

/** A worker dies: its hold and its claim name nobody any more, its job is handed out again, and it remembers nothing. */
export function die(state: State, run: Run): void {
  returnJob(state, run);
  set(run, idleRun());
}

/** To look again at what the turn owes (`what-is-owed.ts`); the run is still vouched for. */
export function lookAgain(run: Run): void {
  const { job, on, isFresh, knowsHold, holds, stop, hasSlept } = run;
  leave(run);
  set(run, { at: 'reloading', job, on, isFresh, knowsHold, holds, stop, hasSlept });
}
