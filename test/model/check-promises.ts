import { breakPromise } from './break-promise.ts';
import { isActive } from './checkpoint/active.ts';
import type { Scene } from './scene.ts';
import type { State, Turn } from './state.ts';

/** Judges what must be true in every state, whatever led there; what must never happen is judged where it happens. */
export function checkPromises(state: State): void {
  const { turn, next, runs } = state;
  if (isActive(turn) === (turn.due === 'null')) breakPromise(state, 'an active turn is due, and an ended one is not');
  if (turn.hold !== 'none' && !isActive(turn)) breakPromise(state, 'an ended turn is still held');
  if (turn.hold === 'alive' && turn.due === 'never') breakPromise(state, 'a held turn is not due');
  if (turn.atHead && next.place === 'head') breakPromise(state, 'two turns are at the head');
  if (runs.some((run) => run.holds && run.on !== turn.step))
    breakPromise(state, 'a run holds a step that it is not on');
  if (isParkedForNothing(turn)) breakPromise(state, 'a turn is parked although nothing waits');
  if (isOpenAtItsEnd(turn)) breakPromise(state, 'a turn ended with open calls');
  if (state.facts.events !== eventsOf(state)) breakPromise(state, 'something was told twice, or not at all');
  if (!owesItsDelivery(state)) breakPromise(state, 'an end and its delivery were not written together');
}

/**
 * Whether all is done: the turn ended, every webhook came, and the next turn had its time. Where nobody rescues, the
 * turn's own end is enough: a delivery that was not rung has no other to find it.
 */
export function isDone({ turn, deliveries, next }: State, { rescuerOff }: Scene): boolean {
  if (rescuerOff) return !isActive(turn);
  if (isActive(turn) || next.place === 'waiting' || next.place === 'head') return false;
  return [deliveries.failed, deliveries.ended].every(({ row }) => row === 'none' || row === 'delivered');
}

function isParkedForNothing({ status, step, once, other }: Turn): boolean {
  return status === 'requires_action' && (step !== 'b1' || once === 'none' || other !== 'waiting');
}

function isOpenAtItsEnd(turn: Turn): boolean {
  const isOpen = turn.once === 'none' || turn.other === 'able' || turn.other === 'waiting';
  return !isActive(turn) && turn.step !== 'r1' && isOpen;
}

/** One event for each checkpoint; a turn that was reopened has told of its failure, and of its return. */
function eventsOf({ turn, facts }: State): number {
  const rounds = Number(turn.step !== 'r1') + Number(turn.status === 'completed');
  const answers = Number(turn.once !== 'none') + Number(turn.other === 'ok' || turn.other === 'cancelled');
  return rounds + (turn.step === 'r1' ? 0 : answers) + Number(!isActive(turn)) + 2 * facts.reopened;
}

function owesItsDelivery({ turn, deliveries, facts }: State): boolean {
  const hasFailed = turn.status === 'failed' || facts.reopened > 0;
  const hasEnded = turn.status === 'completed' || turn.status === 'cancelled';
  return (deliveries.failed.row !== 'none') === hasFailed && (deliveries.ended.row !== 'none') === hasEnded;
}
