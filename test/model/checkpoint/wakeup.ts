import type { Guards } from '../guards/all-guards.ts';
import { isDelivery } from '../jobs.ts';
import { noWakeups, type State, type Step, type Wakeups } from '../state.ts';
import type { CachedTurn } from '../turn-cache.ts';

export function wakeupNow({ turn }: State): Wakeups {
  return { ...noWakeups(), turn: turn.step, isNow: true };
}

/** Returns the wakeup of the step that was due when the turn was read. */
export function wakeupSeen({ turn, isFresh }: CachedTurn): Wakeups {
  return { ...noWakeups(), turn: turn.step, isNow: isFresh };
}

/** Raises the generation, so that no used job id can swallow the next wakeup (R11). */
export function raiseGeneration(state: State, guards: Guards): void {
  state.turn.isRaised = true;
  for (const run of state.runs) if (!isDelivery(run.on)) run.isFresh = false;
  if (guards.generationIsInJobId) outdateIds(state);
}

/** Moves the turn to a step. Job ids contain the step, so the generation restarts (R2b). */
export function changeStep(state: State, step: Step): void {
  outdateIds(state);
  for (const run of state.runs) if (!isDelivery(run.on)) run.isFresh &&= !state.turn.isRaised;
  state.turn.step = step;
  state.turn.isRaised = false;
  state.facts.requests = 0;
}

function outdateIds(state: State): void {
  const { queue, turn, runs } = state;
  if (queue.now === 'waiting') queue[turn.step] = true;
  queue.now = 'none';
  for (const run of runs) {
    if (run.job === 'now') run.job = 'old';
    if (run.wakeups.turn === turn.step) run.wakeups = { ...run.wakeups, isNow: false };
  }
  if (state.api.turn === turn.step) state.api = { ...state.api, isNow: false };
}
