import { breakPromise } from '../break-promise.ts';
import type { Guards } from '../guards/all-guards.ts';
import type { Run, State, Step, Wakeups } from '../state.ts';
import { isActive } from './active.ts';
import { appendEvents } from './append-events.ts';
import { clearLease } from './lease.ts';
import { changeStep, wakeupNow } from './wakeup.ts';

/** Models `save-round.ts`: the step is the guard, and the first write wins (R5). Returns null if it wrote no row. */
export function saveRound(state: State, run: Run, guards: Guards): Wakeups | null {
  if (!mayWrite(state, run, guards.saveRoundChecksStep)) return null;
  if (state.turn.other === 'handed' && !guards.handedOverIsSettled) state.turn.other = 'waiting';
  return write(state, run, { step: 'b1', isDue: true, guards });
}

/**
 * Models `save-round.ts`: the repair round is due at once, without a batch before it (R25). Returns null if it wrote
 * no row.
 */
export function saveInvalidAnswer(state: State, run: Run, guards: Guards): Wakeups | null {
  if (!mayWrite(state, run, guards.invalidAnswerChecksStep)) return null;
  if (run.on !== 'r1') breakPromise(state, 'a turn had a second repair');
  return write(state, run, { step: 'r2', isDue: guards.repairIsDue, guards });
}

function mayWrite(state: State, run: Run, checksStep: boolean): boolean {
  const { turn } = state;
  const isAtRound = turn.status === 'in_progress' && turn.step === run.on;
  if (!isAtRound && checksStep) return false;
  if (!isActive(turn)) breakPromise(state, 'a reply was saved in an ended turn');
  if (turn.step !== run.on) breakPromise(state, 'a round was saved twice');
  return true;
}

type Next = { step: Step; isDue: boolean; guards: Guards };

function write(state: State, run: Run, { step, isDue, guards }: Next): Wakeups {
  changeStep(state, step);
  clearLease(state);
  state.turn.due = isDue ? 'far' : 'never';
  appendEvents(state, 1, { run, guards });
  return wakeupNow(state);
}
