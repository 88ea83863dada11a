import { breakPromise } from '../break-promise.ts';
import type { Guards } from '../guards/all-guards.ts';
import type { Run, State } from '../state.ts';
import { isActive } from './active.ts';
import { isLeasedByAnother, setLease } from './lease.ts';

/** Models `claim-calls.ts` (R6): the claim and the lease in one commit, under the turn's row lock. */
export function claimCalls(state: State, run: Run, guards: Guards): boolean {
  const { turn } = state;
  if (!guards.claimIsCommitted) return true;
  const isOver = !isActive(turn) || turn.step !== 'b1' || turn.once !== 'none';
  if (isOver && !guards.claimLocksTurn && !turn.claimed)
    breakPromise(state, 'a call was claimed after its turn had ended');
  if (isOver || isLeasedByAnother(state, run, guards)) return false;
  const isMine = guards.runIdIsUnique ? run.claims : turn.claimed;
  if (turn.claimed && !isMine && guards.claimIsFirst) return false;

  for (const other of state.runs) other.claims = false;
  turn.claimed = true;
  run.claims = true;
  if (guards.claimTakesLease) setLease(state, run);
  return true;
}
