import { breakPromise } from '../break-promise.ts';
import type { Guards } from '../guards.ts';
import type { Rings, State } from '../state.ts';
import { isActive } from './active.ts';
import { advanceBatch } from './advance-batch.ts';
import { appendEvents } from './append-events.ts';

/**
 * `answer-calls.ts` and `judge-answer.ts` (R14): a client's output answers the waiting call, a person's word only lets it
 * run. Null where the call does not wait, or no longer.
 */
export function answerCalls(state: State, as: 'ok' | 'able', guards: Guards): Rings | null {
  const { turn } = state;
  if (!isActive(turn) || turn.step !== 'b1') return null;
  const isWaiting = turn.other === 'waiting' && !turn.expired;
  if (!isWaiting && guards.answerIsFirst) return null;
  if (turn.other === 'cancelled') breakPromise(state, 'a written result changed');
  turn.other = as;
  if (as === 'ok') appendEvents(state, 1, { run: null, guards });
  return advanceBatch(state, false, guards);
}
