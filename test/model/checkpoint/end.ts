import { breakPromise } from '../break-promise.ts';
import type { Guards } from '../guards/all-guards.ts';
import { noWakeups, type Run, type State, type Wakeups } from '../state.ts';
import { isActive } from './active.ts';
import { appendEvents } from './append-events.ts';
import { clearLease, isLeasedByAnother } from './lease.ts';
import { changeStep } from './wakeup.ts';

/**
 * How the turn ends: `completed` with its last round, `failed` by a run's negative write, `cancelled` by a caller.
 * `invalid`: failed with its last round, an answer that was invalid after its repair.
 */
export type Ending = { status: 'completed' | 'failed' | 'cancelled'; run: Run | null; invalid?: boolean };

/** Models `end.ts` (R12): the end and all its effects. Returns null if the guard refused. */
export function endTurn(state: State, ending: Ending, guards: Guards): Wakeups | null {
  const { turn, facts } = state;
  const { status, run, invalid = false } = ending;
  if (!isActive(turn) && guards.endIsFinal) return null;
  if (run && turn.step !== run.on) return null;
  if (run && !mayEnd(state, { ...ending, run }, guards)) return null;
  if (!isActive(turn)) breakPromise(state, 'an ended turn was ended again');

  const settled = turn.step === 'b1' ? settleCalls(state, guards) : 0;
  const hasRound = invalid || (status === 'completed' && turn.other !== 'handed');
  appendEvents(state, settled + (hasRound ? 2 : 1), { run, guards });
  Object.assign(turn, { status, due: 'null', atHead: false });
  if (invalid) endInvalid(state, run, guards);
  if (guards.endClearsLease) clearLease(state);
  facts.requests = 0;
  const delivery = status === 'failed' ? 'failed' : 'ended';
  if (guards.endCreatesDelivery) state.deliveries[delivery].row = 'due';
  return { ...noWakeups(), delivers: true, next: promotes(state, run, guards) };
}

/** Moves the turn to the next round, at which a retry continues (R25). */
function endInvalid(state: State, run: Run | null, guards: Guards): void {
  if (run?.on === 'r1') breakPromise(state, 'an invalid answer ended its turn without a repair');
  if (guards.invalidEndMovesStep) changeStep(state, 'r3');
}

/**
 * Returns whether the next turn is promoted. `endWithRound` is one statement: it assumes that no turn waits if none
 * was created since the load (R17).
 */
function promotes(state: State, run: Run | null, guards: Guards): boolean {
  const assumesAlone = run?.saw.alone && !guards.endSeesNewTurns;
  return !assumesAlone && promoteNext(state, guards);
}

/**
 * Returns whether the turn may end. A failure ends no step that another run is on (R5). An invalid answer of the
 * model is not a failure of the run.
 */
function mayEnd(state: State, { status, run, invalid }: Ending & { run: Run }, guards: Guards): boolean {
  if (status !== 'failed' || invalid) return true;
  if (guards.failureChecksLease && isLeasedByAnother(state, run, guards)) return false;
  if (guards.failureChecksGeneration && !run.hasLease && !run.isFresh) return false;
  if (state.turn.lease === 'live' && !run.hasLease)
    breakPromise(state, 'a turn failed while another run held its lease');
  if (run.isPast) breakPromise(state, 'a failure of the run before the retry ended the turn again');
  return true;
}

/** Models `write-ending.ts`: returns how many open calls the end settled. */
function settleCalls({ turn }: State, guards: Guards): number {
  if (!guards.endSettlesCalls) return 0;
  const isOnceOpen = turn.once === 'none';
  const isOtherOpen = turn.other === 'able' || turn.other === 'waiting';
  if (isOnceOpen) turn.once = turn.claimed ? 'unknown' : 'cancelled';
  if (isOtherOpen) turn.other = 'cancelled';
  return Number(isOnceOpen) + Number(isOtherOpen);
}

/** Models `promoteNext` of `promote-next.ts` (R17): returns whether the next turn moved to the head. */
function promoteNext({ next }: State, guards: Guards): boolean {
  if (next.status !== 'waiting' || !guards.endPromotesNext) return false;
  next.status = 'head';
  next.due = guards.promotedTurnIsDue ? 'far' : 'never';
  return true;
}

/** Models `promoteNext` at the end of the next turn: a turn that was reopened after it moves to the head. */
export function promoteReopened({ turn }: State, guards: Guards): boolean {
  if (!isActive(turn) || turn.atHead || !guards.endPromotesNext) return false;
  turn.atHead = true;
  if (guards.promotedTurnIsDue) turn.due = 'far';
  return true;
}
