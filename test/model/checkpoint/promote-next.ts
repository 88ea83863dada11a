import type { Guards } from '../guards.ts';
import type { State } from '../state.ts';
import { isActive } from './active.ts';

/** `promote-next.ts`, at the end of the modelled turn (R16): whether the next one came to the head. */
export function promoteNext({ next }: State, guards: Guards): boolean {
  if (next.place !== 'waiting' || !guards.endPromotes) return false;
  next.place = 'head';
  next.due = guards.promotedIsDue ? 'far' : 'never';
  return true;
}

/** The same at the end of the next turn: a turn that was reopened behind it comes to the head. */
export function promoteReopened({ turn }: State, guards: Guards): boolean {
  if (!isActive(turn) || turn.atHead || !guards.endPromotes) return false;
  turn.atHead = true;
  if (guards.promotedIsDue) turn.due = 'far';
  return true;
}
