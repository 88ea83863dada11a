import { breakPromise } from '../break-promise.ts';
import type { Guards } from '../guards.ts';
import type { Run, State, Turn } from '../state.ts';
import { isActive } from './active.ts';

/** Whether a hold counts: it names somebody, and its time has not passed (R9). */
export function isHeld({ hold }: Turn, guards: Guards): boolean {
  return guards.holdHasTime ? hold === 'alive' : hold !== 'none';
}

/** Whether somebody else has the turn: the hold names another run (R1), and counts. */
export function isHeldByAnother({ turn }: State, run: Run, guards: Guards): boolean {
  const isMine = guards.nameIsFresh ? run.holds : turn.hold !== 'none';
  return isHeld(turn, guards) && !isMine;
}

/** `held_by`, `held_until` and `due_at`, always together (R2). */
export function setHold(state: State, run: Run): void {
  if (!isActive(state.turn)) breakPromise(state, 'a turn that had ended was held');
  for (const other of state.runs) other.holds = false;
  run.holds = true;
  state.turn.hold = 'alive';
  state.turn.due = 'far';
}

/** Nobody has the turn. */
export function clearHold(state: State): void {
  for (const run of state.runs) run.holds = false;
  state.turn.hold = 'none';
}
