import { breakPromise } from '../break-promise.ts';
import type { Guards } from '../guards/all-guards.ts';
import type { Run, State, Wakeups } from '../state.ts';
import { isActive } from './active.ts';
import { appendEvents } from './append-events.ts';
import { clearLease } from './lease.ts';
import { changeStep, wakeupNow } from './wakeup.ts';

/** `save-round.ts`: the repair round is due at once, without a batch in between (R25). Null when nothing was written. */
export function saveUnfitAnswer(state: State, run: Run, guards: Guards): Wakeups | null {
  const { turn } = state;
  const isDue = turn.status === 'in_progress' && turn.step === run.on;
  if (!isDue && guards.unfitAnswerChecksStep) return null;
  if (!isActive(turn)) breakPromise(state, 'a turn that had ended was written to');
  if (turn.step !== run.on) breakPromise(state, 'a round was saved twice');
  if (run.on !== 'r1') breakPromise(state, 'a turn had a second repair');

  changeStep(state, 'r2');
  clearLease(state);
  turn.due = guards.repairIsDue ? 'far' : 'never';
  appendEvents(state, 1, { run, guards });
  return wakeupNow(state);
}
