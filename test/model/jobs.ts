import { type DeliveryName, noRings, type Rings, type Run, type State, type Step } from './state.ts';

/** Adds a job for each ring; an id that the queue still knows swallows it (R11). */
export function addJobs(state: State, rings: Rings): void {
  const { queue, deliveries, next } = state;
  if (rings.turn !== 'none' && !rings.isNow) queue[rings.turn] = true;
  if (rings.turn !== 'none' && rings.isNow && !isKnown(state)) queue.now = 'waiting';
  if (rings.failed) wake(deliveries.failed);
  if (rings.ended) wake(deliveries.ended);
  if (rings.next) wake(next);
}

/** Whether there is anything to be rung. */
export function isAnyOwed({ turn, next, failed, ended }: Rings): boolean {
  return turn !== 'none' || next || failed || ended;
}

/** Puts a run's job back, for another worker. */
export function returnJob(state: State, run: Run): void {
  if (run.job === 'gone') return;
  if (isDelivery(run.on)) addJobs(state, { ...noRings(), [run.on]: true });
  else if (run.job === 'now' && run.on === state.turn.step) state.queue.now = 'waiting';
  else state.queue[run.on] = true;
  run.job = 'gone';
}

export function isDelivery(on: Step | DeliveryName): on is DeliveryName {
  return on === 'failed' || on === 'ended';
}

/** The id of the turn's present ring waits, is wedged, or is in some worker's hands. */
function isKnown({ queue, runs }: State): boolean {
  return queue.now !== 'none' || runs.some((run) => run.job === 'now' && !isDelivery(run.on));
}

function wake(row: { job: 'none' | 'waiting' | 'wedged' }): void {
  if (row.job === 'none') row.job = 'waiting';
}
