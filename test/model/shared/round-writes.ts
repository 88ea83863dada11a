import type { RoundState } from './round-state.ts';

/** A write of the run in a slot, with the guards that are up. */
export type By<S extends RoundState, G = unknown> = { state: S; slot: number; run: S['runs'][number]; guards: G };

/** A write that a run makes may depend on these two conditions of `mayGiveUp`. */
type Checked = { lease?: boolean; generation?: boolean };

/** The turn is at the round that the run has loaded. */
export function isOnStep({ state: { turn }, run }: By<RoundState>): boolean {
  return turn.status === 'active' && run.round === turn.round;
}

/** `mayRenew` of `lease.ts` (R4). */
export function mayRenew(by: By<RoundState>): boolean {
  const { run, slot, state } = by;
  if (!isOnStep(by)) return false;
  return state.turn.owner === slot || (!run.knowsLease && run.isFresh && state.turn.lease !== 'live');
}

/** `mayGiveUp` of `sql/lease.ts` (R5): the run has the lease, or the step is free and of the loaded generation. */
export function mayGiveUp(by: By<RoundState>, { lease = true, generation = true }: Checked = {}): boolean {
  const { turn } = by.state;
  if (!isOnStep(by)) return false;
  if (turn.owner === by.slot) return true;
  return (by.run.isFresh || !generation) && (turn.lease !== 'live' || !lease);
}

/** The step is put off, for the run's next try or for another run: it has no lease, and a job of the next generation. */
export function postpone({ state }: By<RoundState>, raises = true): void {
  Object.assign(state.turn, { owner: 'none', lease: 'none', due: 'far' });
  if (raises) raise(state);
  state.queue.now = true;
}

/** The turn ends, or leaves the round for good. */
export function endRound({ state: { turn } }: By<RoundState>, status: 'saved' | 'failed'): void {
  Object.assign(turn, { status, owner: 'none', lease: 'none', due: 'null' });
}

/** The negative end (R5). */
export function failRound(by: By<RoundState>): void {
  if (mayGiveUp(by)) endRound(by, 'failed');
}

/** `rescue.ts` (R9, R11), and `retry.ts` (R14) of a turn that has failed. */
export function wake(state: RoundState): void {
  raise(state);
  Object.assign(state.turn, { status: 'active', due: 'far' });
  state.queue.now = true;
}

/** `generation + 1`: a job that waits is an old one from now on. */
function raise({ turn, queue, runs }: RoundState): void {
  turn.isRaised = true;
  queue.old ||= queue.now;
  queue.now = false;
  for (const run of runs) run.isFresh = false;
}
