import type { Guards } from '../guards.ts';
import type { Run, State } from '../state.ts';
import { isActive } from './active.ts';
import { isHeld, setHold } from './hold.ts';

/** `mayHold` of `renew-holds.ts` (R4): the first beat may acquire, later ones only renew. */
export function mayHold({ turn }: State, run: Run, guards: Guards): boolean {
  if (!isActive(turn)) return false;
  if (guards.beatMindsStep && turn.step !== run.on) return false;
  if (run.holds || !guards.beatMindsHold) return true;
  return !run.knowsHold && turn.status === 'in_progress' && run.isFresh && !isHeld(turn, guards);
}

/** What a beat of a run that may hold writes: hold and `due_at`, and nothing else. */
export function renewHold(state: State, run: Run, guards: Guards): void {
  setHold(state, run);
  if (!guards.beatMovesDue) state.turn.due = 'never';
  run.knowsHold = true;
}
