import { breakPromise } from '../break-promise.ts';
import type { Guards } from '../guards.ts';
import { noRings, type Rings, type Run, type State } from '../state.ts';
import { isActive } from './active.ts';
import { appendEvents } from './append-events.ts';
import { clearHold, isHeldByAnother } from './hold.ts';
import { promoteNext } from './promote-next.ts';

/** How the turn ends: `completed` with its last round, `failed` as a negative write of a run, `cancelled` by a caller. */
export type Ending = { status: 'completed' | 'failed' | 'cancelled'; run: Run | null };

/** `end-turn.ts` (R12): the end with all that hangs on it. Null when the guard refused. */
export function endTurn(state: State, { status, run }: Ending, guards: Guards): Rings | null {
  const { turn, facts } = state;
  if (!isActive(turn) && guards.endIsLast) return null;
  if (run && turn.step !== run.on) return null;
  if (run && status === 'failed' && !mayFail(state, run, guards)) return null;
  if (!isActive(turn)) breakPromise(state, 'a turn that had ended was ended again');

  const settled = turn.step === 'b1' ? settleCalls(state, guards) : 0;
  appendEvents(state, settled + (status === 'completed' ? 2 : 1), { run, guards });
  Object.assign(turn, { status, due: 'null', atHead: false });
  if (guards.endClearsHold) clearHold(state);
  facts.asks = 0;
  const delivery = status === 'failed' ? 'failed' : 'ended';
  if (guards.endOwesDelivery) state.deliveries[delivery].row = 'far';
  return { ...noRings(), [delivery]: true, next: promotes(state, run, guards) };
}

/** `endWithRound`, being one statement, believes that nobody waits only if nobody came meanwhile (R17). */
function promotes(state: State, run: Run | null, guards: Guards): boolean {
  const believesAlone = run?.saw.alone && !guards.endSeesOthers;
  return !believesAlone && promoteNext(state, guards);
}

/** A failure ends nothing that another run has on hand (R5). */
function mayFail(state: State, run: Run, guards: Guards): boolean {
  if (guards.failMindsHold && isHeldByAnother(state, run, guards)) return false;
  if (guards.failMindsRing && !run.holds && !run.isFresh) return false;
  if (state.turn.hold === 'alive' && !run.holds) breakPromise(state, 'a turn failed while another run was on it');
  if (run.isPast) breakPromise(state, 'a failure from before the retry ended the turn again');
  return true;
}

/** `settle-calls.ts`: how many open calls got their answer by the end. */
function settleCalls({ turn }: State, guards: Guards): number {
  if (!guards.endSettlesCalls) return 0;
  const isOnceOpen = turn.once === 'none';
  const isOtherOpen = turn.other === 'able' || turn.other === 'waiting';
  if (isOnceOpen) turn.once = turn.claimed ? 'unknown' : 'cancelled';
  if (isOtherOpen) turn.other = 'cancelled';
  return Number(isOnceOpen) + Number(isOtherOpen);
}
