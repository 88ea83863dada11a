/** @import { ThreadTurn } from './watched-thread.js' */
import { waitingOf } from '../turn/waiting-view.js';

/**
 * Turns in the order of the history: those that began, in the order in which they did, then those that did not.
 * @param {ThreadTurn[]} turns
 */
export function orderedTurns(turns) {
  return turns.toSorted((a, b) => order(placeOf(a), placeOf(b)) || order(a.created_at, b.created_at));
}

/**
 * @param {string} a
 * @param {string} b
 */
function order(a, b) {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** @param {ThreadTurn} turn */
function placeOf({ started_at: startedAt, completed_at: completedAt, created_at: createdAt, start_at: startAt }) {
  if (startedAt) return startedAt;
  // Behind all that began, and those of a later time behind the others.
  return completedAt ? createdAt : `~${startAt ?? ''}`;
}

/**
 * Whether a turn holds up its conversation: it is at work or waits to be. One that starts later does not.
 * @param {ThreadTurn} turn
 */
export function isActive(turn) {
  return turn.completed_at === null && waitingOf(turn)?.for !== 'start_at';
}
