import type { Actor } from '../actor.ts';
import { mayRenewLease, renewLease } from '../checkpoint/lease.ts';
import type { Guards } from '../guards/all-guards.ts';
import { leave } from '../leave.ts';
import { set } from '../set.ts';
import type { Run, State } from '../state.ts';

/** Returns whether the heartbeat tracks a run: from its lease, or its start without a lease, until it enqueues (R4). */
export function isTracked({ at, isAsleep, stop }: Run): boolean {
  const isAtWork = at !== 'idle' && at !== 'wants-lease' && at !== 'enqueuing' && at !== 'posting';
  return isAtWork && at !== 'continuing' && !isAsleep && stop !== 'lost';
}

/** Returns whether the next heartbeat of a run will move its turn far from due. */
export function willBeat(state: State, run: Run, guards: Guards): boolean {
  return isTracked(run) && mayRenewLease(state, run, guards);
}

/** Models `heartbeat.ts`: acquires once, then only renews. A run that has lost its step stops (R4). */
export function beat({ state, run, guards, may }: Actor): void {
  if (!isTracked(run)) return;
  if (run.hangs && guards.runHasLimit) may('has hung for too long', giveUp);
  if (mayRenewLease(state, run, guards)) {
    const { lease, due } = state.turn;
    const isChange = !run.knowsLease || !run.hasLease || lease !== 'live' || due !== 'far';
    if (isChange) may('sends a heartbeat', (mine, after) => renewLease(after, mine, guards));
  } else if (run.at === 'leaking') may('is no longer tracked', leave);
  else if (run.stop === 'no') may('has lost its step', (mine) => set(mine, { stop: 'lost' }));
}

/** Gives a run up: its job is never acknowledged, and its id is never free again. */
function giveUp(run: Run, { queue }: State): void {
  if (run.job === 'now') queue.now = 'wedged';
  leave(run);
}
