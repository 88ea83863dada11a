import { breakPromise } from '../break-promise.ts';
import type { Guards } from '../guards.ts';
import { noRings, type Rings, type State } from '../state.ts';
import { raiseRing, ringNow } from './ring.ts';

/** `retry-turn.ts` (R13): reopens a failed turn, behind another one if that has come to the head. Null if not failed. */
export function retryTurn(state: State, guards: Guards): Rings | null {
  const { turn, next, runs, facts } = state;
  if (turn.status !== 'failed' && guards.retryOnlyFailed) return null;
  if (turn.status !== 'failed') breakPromise(state, 'a turn that had ended for good was reopened');
  const isFree = next.place !== 'head' || !guards.retryMindsHead;
  Object.assign(turn, { status: 'in_progress', atHead: isFree, due: isFree && guards.retryIsDue ? 'far' : 'never' });
  if (guards.retryRaisesRing) raiseRing(state, guards);
  for (const run of runs) if (run.at !== 'idle' && run.at !== 'wants-hold' && run.on === turn.step) run.isPast = true;
  facts.events += 1;
  facts.reopened += 1;
  return isFree ? ringNow(state) : noRings();
}
