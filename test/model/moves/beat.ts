import type { Actor } from '../actor.ts';
import { mayHold, renewHold } from '../checkpoint/renew-holds.ts';
import type { Guards } from '../guards.ts';
import { leave } from '../leave.ts';
import { set } from '../set.ts';
import type { Run, State } from '../state.ts';

/** Whether the heartbeat speaks for a run: from its hold, or its quiet start, until it goes to ring (R4). */
export function isVouchedFor({ at, isAsleep, stop }: Run): boolean {
  const isOnHand = at !== 'idle' && at !== 'wants-hold' && at !== 'ringing' && at !== 'posting';
  return isOnHand && !isAsleep && stop !== 'lost';
}

/** Whether a run's next heartbeat will have its turn far from due. */
export function willBeat(state: State, run: Run, guards: Guards): boolean {
  return isVouchedFor(run) && mayHold(state, run, guards);
}

/** `heartbeat.ts`: acquires once, then only renews; who has lost its step stops (R4). */
export function beat({ state, run, guards, may }: Actor): void {
  if (!isVouchedFor(run)) return;
  if (run.hangs && guards.runHasLimit) may('has hung for too long', giveUp);
  if (mayHold(state, run, guards)) {
    const { hold, due } = state.turn;
    const isNews = !run.knowsHold || !run.holds || hold !== 'alive' || due !== 'far';
    if (isNews) may('beats', (mine, after) => renewHold(after, mine, guards));
  } else if (run.at === 'leaking') may('is no longer beaten for', leave);
  else if (run.stop === 'no') may('has lost its step', (mine) => set(mine, { stop: 'lost' }));
}

/** Nobody beats for the run any more; its job is never acknowledged, and its id never comes free. */
function giveUp(run: Run, { queue }: State): void {
  if (run.job === 'now') queue.now = 'wedged';
  leave(run);
}
