import { breakPromise } from '../break-promise.ts';
import type { Guards } from '../guards/all-guards.ts';
import { noWakeups, type State, type Wakeups } from '../state.ts';
import { raiseGeneration, wakeupNow } from './wakeup.ts';

/**
 * Models `retry.ts` (R14): reopens a failed turn, after another turn if that is at the head. Returns null if the turn
 * is not failed.
 */
export function retryTurn(state: State, guards: Guards): Wakeups | null {
  const { turn, next, runs, facts } = state;
  if (turn.status !== 'failed' && guards.retryOnlyFailed) return null;
  if (turn.status !== 'failed') breakPromise(state, 'a permanently ended turn was reopened');
  const isFree = next.status !== 'head' || !guards.retryChecksHead;
  Object.assign(turn, { status: 'in_progress', atHead: isFree, due: isFree && guards.retryIsDue ? 'far' : 'never' });
  if (guards.retryRaisesGeneration) raiseGeneration(state, guards);
  for (const run of runs) if (run.at !== 'idle' && run.at !== 'wants-lease' && run.on === turn.step) run.isPast = true;
  facts.events += 1;
  facts.reopened += 1;
  return isFree ? wakeupNow(state) : noWakeups();
}
