import { breakPromise } from '../break-promise.ts';
import type { Guards } from '../guards/all-guards.ts';
import type { Run, State, Wakeups } from '../state.ts';
import { isActive } from './active.ts';
import { advanceBatch } from './advance-batch.ts';
import { appendEvents } from './append-events.ts';
import { clearLease } from './lease.ts';

/** The outcome of the `at_most_once` call. `unknown` is the negative answer. */
type OnceKnown = { as: 'ok' | 'unknown'; guards: Guards };

/**
 * Models `save-results.ts` for the call that may be made once: only the run with the lease writes negatively (R5,
 * R8).
 */
export function saveOnceResult(state: State, run: Run, { as, guards }: OnceKnown): Wakeups | null {
  const { turn } = state;
  if (as === 'unknown' && guards.unknownNeedsLease && !(run.hasLease && turn.lease === 'live')) return null;
  if (!isDue(state) || turn.once !== 'none') return dropLate(state, turn.once !== as, guards);
  if (as === 'unknown') checkUnknown(state, run);
  turn.once = as;
  return advance(state, run, guards);
}

/** Models `save-results.ts` for the other call. */
export function saveOtherResult(
  state: State,
  run: Run,
  known: { as: 'ok' | 'cancelled'; guards: Guards },
): Wakeups | null {
  const { turn } = state;
  const isOpen = turn.other === 'able' || turn.other === 'waiting';
  if (!isDue(state) || !isOpen) return dropLate(state, turn.other !== known.as, known.guards);
  const isGivenTime = turn.other === 'waiting' && !turn.expired;
  if (isGivenTime) breakPromise(state, 'a call was refused although there was time to answer it');
  turn.other = known.as;
  return advance(state, run, known.guards);
}

function isDue({ turn }: State): boolean {
  return isActive(turn) && turn.step === 'b1';
}

/** Drops a late result, since the first write won. Its run changes no row (R10, R5). */
function dropLate(state: State, isOther: boolean, guards: Guards): null {
  if (!guards.lateResultIsDropped && isOther) breakPromise(state, 'a written result changed');
  if (!guards.lateResultKeepsLease && isActive(state.turn)) clearLease(state);
  return null;
}

/** Advances the batch. If a call waits for a client, the save sees it under the row lock (`result-writer.ts`). */
function advance(state: State, run: Run, guards: Guards): Wakeups {
  appendEvents(state, 1, { run, guards });
  const isWaiting = guards.saveSeesAnswers ? state.turn.other === 'waiting' : run.saw.waiting;
  return advanceBatch(state, isWaiting, guards);
}

/** Checks that only a run that lost the lease had its claim given up. A live run loses its lease only if it sleeps. */
function checkUnknown(state: State, by: Run): void {
  const { used, facts, runs } = state;
  const isNoRunLost = used.crash + used.stall + used.hang === 0;
  if (isNoRunLost && facts.calls === 0) breakPromise(state, 'outcome_unknown was saved for a call that was never made');
  const claimer = runs.find((run) => run.claims && run !== by);
  if (!claimer) return;
  const isOnIt = !claimer.hasSlept;
  const hasTurn = claimer.hasLease && state.turn.lease === 'live';
  if (isOnIt || hasTurn) breakPromise(state, 'outcome_unknown was saved while the run of the call was active');
}
