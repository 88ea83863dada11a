import { breakPromise } from '../break-promise.ts';
import type { Guards } from '../guards/all-guards.ts';
import type { State, Wakeups } from '../state.ts';
import { isActive } from './active.ts';
import { advanceBatch } from './advance-batch.ts';
import { appendEvents } from './append-events.ts';

/**
 * Models `answer-calls.ts` and `classify-answer.ts` (R15): a client's output answers the waiting call, an approval
 * only lets the call run. Returns null if the call does not wait.
 */
export function answerCalls(state: State, as: 'ok' | 'able', guards: Guards): Wakeups | null {
  const { turn } = state;
  if (!isActive(turn) || turn.step !== 'b1') return null;
  const isWaiting = turn.other === 'waiting' && !turn.expired;
  if (!isWaiting && guards.answerIsFirst) return null;
  if (turn.other === 'cancelled') breakPromise(state, 'a written result changed');
  turn.other = as;
  if (as === 'ok') appendEvents(state, 1, { run: null, guards });
  return advanceBatch(state, false, guards);
}
