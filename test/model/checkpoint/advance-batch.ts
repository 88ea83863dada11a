import type { Guards } from '../guards/all-guards.ts';
import { noWakeups, type State, type Wakeups } from '../state.ts';
import { clearLease } from './lease.ts';
import { changeStep, raiseGeneration, wakeupNow } from './wakeup.ts';

/** Models `advance-batch.ts`: the step after calls got results. `isWaiting`: the other call waits for an answer. */
export function advanceBatch(state: State, isWaiting: boolean, guards: Guards): Wakeups {
  const { turn } = state;
  const wasWaiting = turn.status === 'requires_action';
  const isOnceOpen = turn.once === 'none';
  const isOtherOpen = turn.other === 'able' || turn.other === 'waiting';
  if (!isOnceOpen && !isOtherOpen && !isWaiting) {
    turn.status = 'in_progress';
    changeStep(state, 'r2');
    clearLease(state);
    if (guards.answeredTurnIsDue || !wasWaiting) turn.due = 'far';
    return wakeupNow(state);
  }
  if (!isOnceOpen && isWaiting) return waitForAnswers(state, guards);

  turn.status = 'in_progress';
  if (!wasWaiting) return noWakeups();
  if (guards.answeredTurnIsDue) turn.due = 'far';
  if (guards.answerRaisesGeneration) raiseGeneration(state, guards);
  return wakeupNow(state);
}

function waitForAnswers(state: State, guards: Guards): Wakeups {
  state.turn.status = 'requires_action';
  state.turn.due = dueAtExpiry(state, guards);
  clearLease(state);
  return noWakeups();
}

function dueAtExpiry({ turn }: State, guards: Guards) {
  if (!turn.expires || !guards.waitingTurnIsDue) return 'never';
  return turn.expired ? 'late' : 'expiry';
}
