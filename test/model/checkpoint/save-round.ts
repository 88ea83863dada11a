import { breakPromise } from '../break-promise.ts';
import type { Guards } from '../guards/all-guards.ts';
import type { Run, State, Wakeups } from '../state.ts';
import { isActive } from './active.ts';
import { appendEvents } from './append-events.ts';
import { clearLease } from './lease.ts';
import { changeStep, wakeupNow } from './wakeup.ts';

/** `save-round.ts`: the step is the guard, the first write wins (R5). Null when nothing was written. */
export function saveRound(state: State, run: Run, guards: Guards): Wakeups | null {
  const { turn } = state;
  const isDue = turn.status === 'in_progress' && turn.step === run.on;
  if (!isDue && guards.saveRoundChecksStep) return null;
  if (!isActive(turn)) breakPromise(state, 'a turn that had ended was written to');
  if (turn.step !== run.on) breakPromise(state, 'a round was saved twice');

  changeStep(state, 'b1');
  if (turn.other === 'handed' && !guards.handedOverIsSettled) turn.other = 'waiting';
  clearLease(state);
  turn.due = 'far';
  appendEvents(state, 1, { run, guards });
  return wakeupNow(state);
}
