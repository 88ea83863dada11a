import type { Guards } from '../guards/all-guards.ts';
import type { State } from '../state.ts';
import { raiseGeneration } from './wakeup.ts';

/** Models `rescue.ts`: it raises the generation, sets the next rescue far ahead, and keeps the lease (R9, R11). */
export function rescueTurn(state: State, guards: Guards): void {
  state.turn.due = 'far';
  if (!guards.rescueKeepsLease && state.turn.lease === 'expired') state.turn.lease = 'live';
  if (guards.rescueRaisesGeneration) raiseGeneration(state, guards);
}

/**
 * Models `postponeRateLimited` of `rescue.ts`: a late round of a rate-limited model is not enqueued, and not run
 * early.
 */
export function postponeRateLimited(state: State, guards: Guards): void {
  rescueTurn(state, guards);
  state.turn.isEarly = true;
}
