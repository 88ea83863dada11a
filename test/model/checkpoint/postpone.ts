import { breakPromise } from '../break-promise.ts';
import type { Guards } from '../guards/all-guards.ts';
import type { Run, State, Wakeups } from '../state.ts';
import { clearLease, isLeasedByAnother } from './lease.ts';
import { raiseGeneration, wakeupNow } from './wakeup.ts';

/** Models `postpone.ts`, a negative write (R5). Claims of calls that were made stay, other claims are returned (R8). */
export function postponeStep(state: State, run: Run, guards: Guards): Wakeups | null {
  const { turn } = state;
  if ((turn.status !== 'in_progress' && turn.status !== 'queued') || turn.step !== run.on) return null;
  if (guards.postponeChecksGeneration && !run.isFresh && !(run.hasLease && guards.leaseOwnerPostpones)) return null;
  if (guards.postponeChecksLease && isLeasedByAnother(state, run, guards)) return null;
  if (!run.isFresh && !run.hasLease) breakPromise(state, 'a step was handed back twice for one attempt');
  if (turn.lease === 'live' && !run.hasLease)
    breakPromise(state, 'a step was handed back while another run held its lease');

  turn.due = guards.postponedTurnIsDue ? 'far' : 'never';
  turn.isEarly = run.stop !== 'shutdown';
  clearLease(state);
  giveBackClaim(state, run, guards);
  if (guards.postponeRaisesGeneration) raiseGeneration(state, guards);
  else run.isFresh = false;
  return wakeupNow(state);
}

function giveBackClaim({ turn }: State, run: Run, guards: Guards): void {
  if (!run.claims || turn.once !== 'none') return;
  const isKept = run.made ? guards.madeCallKeepsClaim : !guards.unmadeCallLosesClaim;
  if (isKept) return;
  run.claims = false;
  turn.claimed = false;
}
