import type { Guards } from '../guards.ts';
import { isDelivery } from '../jobs.ts';
import type { Sight } from '../left-turn.ts';
import { noRings, type Rings, type State, type Step } from '../state.ts';

/** The ring of the step that the turn owes now. */
export function ringNow({ turn }: State): Rings {
  return { ...noRings(), turn: turn.step, isNow: true };
}

/** The ring of the step that a turn was seen to owe. */
export function ringSeen({ turn, isFresh }: Sight): Rings {
  return { ...noRings(), turn: turn.step, isNow: isFresh };
}

/** `ring = ring + 1`: ids used so far can swallow nothing any more (R11). */
export function raiseRing(state: State, guards: Guards): void {
  state.turn.rung = true;
  for (const run of state.runs) if (!isDelivery(run.on)) run.isFresh = false;
  if (guards.ringInId) outdateIds(state);
}

/** A checkpoint moves the turn on: ids hold the step, so the ring number may start again (R2b). */
export function changeStep(state: State, step: Step): void {
  outdateIds(state);
  for (const run of state.runs) if (!isDelivery(run.on)) run.isFresh &&= !state.turn.rung;
  state.turn.step = step;
  state.turn.rung = false;
  state.facts.asks = 0;
}

function outdateIds(state: State): void {
  const { queue, turn, runs } = state;
  if (queue.now === 'waiting') queue[turn.step] = true;
  queue.now = 'none';
  for (const run of runs) {
    if (run.job === 'now' && run.on === turn.step) run.job = 'old';
    if (run.rings.turn === turn.step) run.rings = { ...run.rings, isNow: false };
  }
  if (state.api.turn === turn.step) state.api = { ...state.api, isNow: false };
}
