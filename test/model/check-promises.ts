import { breakPromise } from './break-promise.ts';
import { isActive } from './checkpoint/active.ts';
import type { Scene } from './scene.ts';
import type { State, Turn } from './state.ts';

/** Checks the promises of every state. Each move checks its own promises. */
export function checkPromises(state: State, scene: Scene): void {
  const { turn, next, runs } = state;
  if (isActive(turn) === (turn.due === 'null')) breakPromise(state, 'an active turn is due, and an ended turn is not');
  if (turn.lease !== 'none' && !isActive(turn)) breakPromise(state, 'an ended turn still has a lease');
  if (turn.lease === 'live' && turn.due === 'never') breakPromise(state, 'a leased turn is not due');
  if (turn.atHead && next.status === 'head') breakPromise(state, 'two turns are at the head');
  if (runs.some((run) => run.hasLease && run.on !== turn.step))
    breakPromise(state, 'a run holds the lease of a step that it does not run');
  if (isWaitingForNothing(turn)) breakPromise(state, 'a turn requires action although no call waits');
  if (isOpenAtItsEnd(turn)) breakPromise(state, 'a turn ended with open calls');
  if (state.facts.events !== eventsOf(state, scene)) breakPromise(state, 'an event is missing or stored twice');
  if (!hasDueDelivery(state)) breakPromise(state, 'an end and its delivery were written in two commits');
}

/**
 * Returns whether the scene is done: the turn ended, every webhook arrived, and the next turn ran. Without a rescuer
 * the end of the turn is enough, since only a rescuer finds a delivery that was not enqueued.
 */
export function isDone({ turn, deliveries, next }: State, { rescuerOff }: Scene): boolean {
  if (rescuerOff) return !isActive(turn);
  if (isActive(turn) || next.status === 'waiting' || next.status === 'head') return false;
  return [deliveries.failed, deliveries.ended].every(({ row }) => row === 'none' || row === 'delivered');
}

function isWaitingForNothing({ status, step, once, other }: Turn): boolean {
  return status === 'requires_action' && (step !== 'b1' || once === 'none' || other !== 'waiting');
}

function isOpenAtItsEnd(turn: Turn): boolean {
  const isOpen = turn.once === 'none' || turn.other === 'able' || turn.other === 'waiting';
  return !isActive(turn) && turn.step !== 'r1' && isOpen;
}

/**
 * Counts the expected events: an event for each checkpoint, and two for the failure and the return of a reopened
 * turn.
 */
function eventsOf({ turn, facts }: State, { adopts, calls }: Scene): number {
  const isAnswered = turn.status === 'completed' && turn.other !== 'handed';
  const before = turn.step === 'r3' ? 2 : Number(turn.step !== 'r1' && !adopts);
  const rounds = before + Number(isAnswered);
  const hasOnce = turn.once !== 'none' && calls !== 'invalid';
  const answers = Number(hasOnce) + Number(turn.other === 'ok' || turn.other === 'cancelled');
  return rounds + (turn.step === 'r1' ? 0 : answers) + Number(!isActive(turn)) + 2 * facts.reopened;
}

function hasDueDelivery({ turn, deliveries, facts }: State): boolean {
  const hasFailed = turn.status === 'failed' || facts.reopened > 0;
  const hasEnded = turn.status === 'completed' || turn.status === 'cancelled';
  return (deliveries.failed.row !== 'none') === hasFailed && (deliveries.ended.row !== 'none') === hasEnded;
}
