import type { DeliveryName, Run, State, Step, Wakeups } from './state.ts';

/** Adds a job for each wakeup. An id that the queue still knows swallows the wakeup (R11). */
export function addJobs(state: State, wakeups: Wakeups): void {
  const { queue, next } = state;
  if (wakeups.turn !== 'none' && !wakeups.isNow) queue[wakeups.turn] = true;
  if (wakeups.turn !== 'none' && wakeups.isNow && !isKnown(state)) queue.now = 'waiting';
  if (wakeups.next && next.job === 'none') next.job = 'waiting';
}

export function isAnyDue({ turn, next, delivers }: Wakeups): boolean {
  return turn !== 'none' || next || delivers;
}

/** Puts a run's job back for another worker. */
export function returnJob(state: State, run: Run): void {
  if (run.job === 'gone') return;
  if (run.job === 'now') state.queue.now = 'waiting';
  else state.queue[run.jobOn] = true;
  run.job = 'gone';
}

export function isDelivery(on: Step | DeliveryName): on is DeliveryName {
  return on === 'failed' || on === 'ended';
}

/** Returns whether the id of the present generation waits, is wedged, or is with a worker. */
function isKnown({ queue, runs }: State): boolean {
  return queue.now !== 'none' || runs.some((run) => run.job === 'now' && !isDelivery(run.on));
}
