import type { RoundState } from './round-state.ts';

/** A write of the run in a slot, with the guards that are up. */
export type By<S extends RoundState, G = unknown> = { state: S; slot: number; run: S['runs'][number]; guards: G };

/** The two conditions of `mayGiveUp` that a write of a run may depend on. */
type Checked = { lease?: boolean; generation?: boolean };

/** Returns whether the turn is at the round that the run has loaded. */
export function isOnStep({ state: { turn }, run }: By<RoundState>): boolean {
  return turn.status === 'active' && run.round === turn.round;
}

/** Models `mayRenew` of `lease.ts` (R4). */
export function mayRenew(by: By<RoundState>): boolean {
  const { run, slot, state } = by;
  if (!isOnStep(by)) return false;
  return state.turn.owner === slot || (!run.knowsLease && run.isFresh && state.turn.lease !== 'live');
}

/**
 * Models `mayGiveUp` of `sql/lease.ts` (R5): the run has the lease, or the step is free and of the loaded generation.
 */
export function mayGiveUp(by: By<RoundState>, { lease = true, generation = true }: Checked = {}): boolean {
  const { turn } = by.state;
  if (!isOnStep(by)) return false;
  if (turn.owner === by.slot) return true;
  return (by.run.isFresh || !generation) && (turn.lease !== 'live' || !lease);
}

/**
 * Postpones the step for the run's next attempt or for another run. It has no lease, and a job of the next
 * generation.
 */
export function postpone({ state }: By<RoundState>, raises = true): void {
  Object.assign(state.turn, { owner: 'none', lease: 'none', due: 'far' });
  if (raises) raise(state);
  state.queue.now = true;
}

/** Ends the turn, or moves it permanently past the round. */
export function endRound({ state: { turn } }: By<RoundState>, status: 'saved' | 'failed'): void {
  Object.assign(turn, { status, owner: 'none', lease: 'none', due: 'null' });
}

/** Ends the turn negatively (R5). */
export function failRound(by: By<RoundState>): void {
  if (mayGiveUp(by)) endRound(by, 'failed');
}

/** Models `rescue.ts` (R9, R11), and `retry.ts` (R14) of a failed turn. */
export function wake(state: RoundState): void {
  raise(state);
  Object.assign(state.turn, { status: 'active', due: 'far' });
  state.queue.now = true;
}

/** Raises the generation, so that a waiting job is an old job from now on. */
function raise({ turn, queue, runs }: RoundState): void {
  turn.isRaised = true;
  queue.old ||= queue.now;
  queue.now = false;
  for (const run of runs) run.isFresh = false;
}
