import type { Guards } from '../guards.ts';
import type { State } from '../state.ts';
import { raiseRing } from './ring.ts';

/** `rescue-turns.ts`: the ring number goes up, the next rescue is far, and a hold stays as it is (R9, R11). */
export function rescueTurn(state: State, guards: Guards): void {
  state.turn.due = 'far';
  if (!guards.rescueLeavesHold && state.turn.hold === 'lapsed') state.turn.hold = 'alive';
  if (guards.rescueRaisesRing) raiseRing(state, guards);
}
