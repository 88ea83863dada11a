import { breakPromise } from '../break-promise.ts';
import type { Guards } from '../guards.ts';
import type { Rings, Run, State } from '../state.ts';
import { isActive } from './active.ts';
import { advanceBatch } from './advance-batch.ts';
import { appendEvents } from './append-events.ts';
import { clearHold } from './hold.ts';

/** What became of the call that may be made once; `unknown` is the negative answer. */
type OnceKnown = { as: 'ok' | 'unknown'; guards: Guards };

/** `save-results.ts`, for the call that may be made once: negative only for whoever has the turn (R5, R8). */
export function saveOnceResult(state: State, run: Run, { as, guards }: OnceKnown): Rings | null {
  const { turn } = state;
  if (as === 'unknown' && guards.unknownNeedsHold && !(run.holds && turn.hold === 'alive')) return null;
  if (!isOwed(state) || turn.once !== 'none') return comeLate(state, turn.once !== as, guards);
  if (as === 'unknown') judgeUnknown(state, run);
  turn.once = as;
  return advance(state, run, guards);
}

/** `save-results.ts`, for the other call. */
export function saveOtherResult(
  state: State,
  run: Run,
  known: { as: 'ok' | 'cancelled'; guards: Guards },
): Rings | null {
  const { turn } = state;
  const isOpen = turn.other === 'able' || turn.other === 'waiting';
  if (!isOwed(state) || !isOpen) return comeLate(state, turn.other !== known.as, known.guards);
  const isGivenTime = turn.other === 'waiting' && !turn.expired;
  if (isGivenTime) breakPromise(state, 'a call was refused while somebody still had time to answer it');
  turn.other = known.as;
  return advance(state, run, known.guards);
}

function isOwed({ turn }: State): boolean {
  return isActive(turn) && turn.step === 'b1';
}

/** The first write won: a late result is dropped, and its run changes nothing (R10, R5). */
function comeLate(state: State, isOther: boolean, guards: Guards): null {
  if (!guards.lateIsDropped && isOther) breakPromise(state, 'a written result changed');
  if (!guards.onlyWriterClears && isActive(state.turn)) clearHold(state);
  return null;
}

/** Where somebody outside may answer, the save waits for them under the row lock (`result-box.ts`). */
function advance(state: State, run: Run, guards: Guards): Rings {
  appendEvents(state, 1, { run, guards });
  const isWaiting = guards.saveSeesAnswers ? state.turn.other === 'waiting' : run.saw.waiting;
  return advanceBatch(state, isWaiting, guards);
}

/** A claim may be judged only once its run has lost the hold, and one that is alive loses it only by sleeping. */
function judgeUnknown(state: State, judge: Run): void {
  const { used, facts, runs } = state;
  const isNobodyLost = used.crash + used.stall + used.hang === 0;
  if (isNobodyLost && facts.calls === 0) breakPromise(state, 'outcome_unknown was said of a call that was never made');
  const claimer = runs.find((run) => run.claims && run !== judge);
  if (!claimer) return;
  const isOnIt = !claimer.hasSlept;
  const hasTurn = claimer.holds && state.turn.hold === 'alive';
  if (isOnIt || hasTurn) breakPromise(state, 'outcome_unknown was said of a call whose run was on it');
}
