import type { Guards } from '../guards/all-guards.ts';
import type { State } from '../state.ts';
import { raiseGeneration } from './wakeup.ts';

/** `rescue.ts`: the generation is raised, the next rescue is far, and a lease stays as it is (R9, R11). */
export function rescueTurn(state: State, guards: Guards): void {
  state.turn.due = 'far';
  if (!guards.rescueKeepsLease && state.turn.lease === 'expired') state.turn.lease = 'live';
  if (guards.rescueRaisesGeneration) raiseGeneration(state, guards);
}

/** `postponeRateLimited` of `rescue.ts`: a late round of a rate-limited model is not enqueued, and not worked before. */
export function postponeRateLimited(state: State, guards: Guards): void {
  rescueTurn(state, guards);
  state.turn.isEarly = true;
}
