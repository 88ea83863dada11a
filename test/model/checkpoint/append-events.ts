import { breakPromise } from '../break-promise.ts';
import type { Guards } from '../guards/all-guards.ts';
import type { Run, State } from '../state.ts';

/**
 * Adds to `last_event` under the turn's row lock (R5). Without the lock it adds to the number that the run has read.
 */
export function appendEvents(state: State, count: number, by: { run: Run | null; guards: Guards }): void {
  const { run, guards } = by;
  const isStale = run !== null && run.saw.events !== state.facts.events;
  if (isStale && !guards.eventsAreNumberedUnderLock) breakPromise(state, 'two events of a turn have the same number');
  state.facts.events += count;
}
