import { breakPromise } from '../break-promise.ts';
import type { Guards } from '../guards.ts';
import type { Rings, Run, State } from '../state.ts';
import { isActive } from './active.ts';
import { appendEvents } from './append-events.ts';
import { clearHold } from './hold.ts';
import { changeStep, ringNow } from './ring.ts';

/** `save-round.ts`: the step is the guard, the first write wins (R5). Null when nothing was written. */
export function saveRound(state: State, run: Run, guards: Guards): Rings | null {
  const { turn } = state;
  const isOwed = turn.status === 'in_progress' && turn.step === run.on;
  if (!isOwed && guards.roundMindsStep) return null;
  if (!isActive(turn)) breakPromise(state, 'a turn that had ended was written to');
  if (turn.step !== run.on) breakPromise(state, 'a round was saved twice');

  changeStep(state, 'b1');
  clearHold(state);
  turn.due = 'far';
  appendEvents(state, 1, { run, guards });
  return ringNow(state);
}
