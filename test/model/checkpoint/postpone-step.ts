import { breakPromise } from '../break-promise.ts';
import type { Guards } from '../guards.ts';
import type { Rings, Run, State } from '../state.ts';
import { clearHold, isHeldByAnother } from './hold.ts';
import { raiseRing, ringNow } from './ring.ts';

/** `postpone-step.ts`: a negative write (R5). Claims whose calls were made stay, those never made are given back (R8). */
export function postponeStep(state: State, run: Run, guards: Guards): Rings | null {
  const { turn } = state;
  if ((turn.status !== 'in_progress' && turn.status !== 'queued') || turn.step !== run.on) return null;
  if (guards.postponeMindsRing && !run.isFresh && !(run.holds && guards.holderPostpones)) return null;
  if (guards.postponeMindsHold && isHeldByAnother(state, run, guards)) return null;
  if (!run.isFresh && !run.holds) breakPromise(state, 'a step was handed back twice for one try');
  if (turn.hold === 'alive' && !run.holds) breakPromise(state, 'a step was handed back while another run was on it');

  turn.due = guards.postponedIsDue ? 'far' : 'never';
  turn.isEarly = run.stop !== 'shutdown';
  clearHold(state);
  giveBackClaim(state, run, guards);
  if (guards.postponeRaisesRing) raiseRing(state, guards);
  else run.isFresh = false;
  return ringNow(state);
}

function giveBackClaim({ turn }: State, run: Run, guards: Guards): void {
  if (!run.claims || turn.once !== 'none') return;
  const isKept = run.made ? guards.madeClaimStays : !guards.unmadeClaimGoes;
  if (isKept) return;
  run.claims = false;
  turn.claimed = false;
}
