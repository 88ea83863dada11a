import type { Guards } from '../guards.ts';
import { noRings, type Rings, type State } from '../state.ts';
import { clearHold } from './hold.ts';
import { changeStep, raiseRing, ringNow } from './ring.ts';

/** `advance-batch.ts`: what follows when calls got their answers. `isWaiting`: the other call waits for somebody outside. */
export function advanceBatch(state: State, isWaiting: boolean, guards: Guards): Rings {
  const { turn } = state;
  const wasParked = turn.status === 'requires_action';
  const isOnceOpen = turn.once === 'none';
  const isOtherOpen = turn.other === 'able' || turn.other === 'waiting';
  if (!isOnceOpen && !isOtherOpen && !isWaiting) {
    turn.status = 'in_progress';
    changeStep(state, 'r2');
    clearHold(state);
    if (guards.answerIsDue || !wasParked) turn.due = 'far';
    return ringNow(state);
  }
  if (!isOnceOpen && isWaiting) return park(state, guards);

  turn.status = 'in_progress';
  if (!wasParked) return noRings();
  if (guards.answerIsDue) turn.due = 'far';
  if (guards.answerRaisesRing) raiseRing(state, guards);
  return ringNow(state);
}

function park(state: State, guards: Guards): Rings {
  state.turn.status = 'requires_action';
  state.turn.due = dueAtExpiry(state, guards);
  clearHold(state);
  return noRings();
}

function dueAtExpiry({ turn }: State, guards: Guards) {
  if (!turn.expires || !guards.parkedIsDue) return 'never';
  return turn.expired ? 'late' : 'expiry';
}
