import type { Guards } from '../guards.ts';
import type { Run, State } from '../state.ts';
import { isActive } from './active.ts';
import { isHeld, setHold } from './hold.ts';

/** `take-hold.ts` (R3). The first hold starts the turn. */
export function takeHold(state: State, run: Run, guards: Guards): boolean {
  const { turn } = state;
  if (!isActive(turn) || !turn.atHead || turn.step !== run.on) return false;
  if (guards.takeHoldMindsHold && isHeld(turn, guards)) return false;
  if (turn.isEarly) return false;
  if (turn.status === 'queued') turn.status = 'in_progress';
  setHold(state, run);
  return true;
}
