import type { Guards } from '../guards.ts';
import type { State } from '../state.ts';
import { raiseRing } from './ring.ts';

/** `rescue-turns.ts`: the ring number goes up, the next rescue is far, and a hold stays as it is (R9, R11). */
export function rescueTurn(state: State, guards: Guards): void {
  state.turn.due = 'far';
  if (!guards.rescueLeavesHold && state.turn.hold === 'lapsed') state.turn.hold = 'alive';
  if (guards.rescueRaisesRing) raiseRing(state, guards);
}

/** `putOff` of the same file: a late round whose model is rate-limited is rescued without a ring, and not worked before. */
export function putOff(state: State, guards: Guards): void {
  rescueTurn(state, guards);
  state.turn.isEarly = true;
}
