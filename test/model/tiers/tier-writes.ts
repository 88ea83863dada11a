import type { TierGuards } from './tier-guards.ts';
import { idleTierRun, MOST_REFUSALS, MOST_TRIES, runIn, type TierRun, type TierState } from './tier-state.ts';

/** A write of the run in a slot. */
export type TierWrite = { state: TierState; slot: number; guards: TierGuards };

/** `takeLease` (R3, R24). */
export function takeLease(write: TierWrite): boolean {
  const { state, slot, guards } = write;
  const isLeft = runIn(state, slot).tier !== state.turn.tier;
  if (isLeft && guards.leaseChecksTier) return false;
  if (!acquireLease(write)) return false;
  if (isLeft) state.broken ??= 'a run took its step on a tier that the round had left';
  return true;
}

/** The first heartbeat, and the later ones (R4). */
export function acquireLease({ state, slot }: TierWrite): boolean {
  const { turn } = state;
  if (!isOnStep(state, slot) || (turn.lease === 'live' && turn.owner !== slot)) return false;
  Object.assign(turn, { owner: slot, lease: 'live', due: 'far' });
  runIn(state, slot).knowsLease = true;
  return true;
}

/** `mayRenew` of `lease.ts` (R4). */
export function mayRenewLease(state: TierState, slot: number): boolean {
  if (!isOnStep(state, slot)) return false;
  const { turn } = state;
  const run = runIn(state, slot);
  return turn.owner === slot || (!run.knowsLease && run.isFresh && turn.lease !== 'live');
}

/** `run-round.ts`: a request leaves on the tier that the run has loaded, or the round leaves this tier before. */
export function beginRound(write: TierWrite): void {
  const run = runIn(write.state, write.slot);
  if (run.tier === 'flex' && run.isLate) leaveTier(write);
  else askProvider(write.state, run);
}

/** `leaveTier` of `retry-round.ts`. */
function leaveTier({ state, slot, guards }: TierWrite): void {
  const run = runIn(state, slot);
  run.at = 'changing';
  if (guards.tierChangeIsCommittedFirst) return;
  run.tier = 'default';
  askProvider(state, run);
}

function askProvider(state: TierState, run: TierRun): void {
  const { turn, saw } = state;
  run.at = 'asking';
  const isDue = turn.status === 'active' && run.round === turn.round;
  if (isDue && run.tier === 'default' && saw.changes === 0) {
    state.broken ??= 'a round was asked on default before the change to it was committed';
  }
}

/** `save-round.ts`, `write-ending.ts` (R5): the first reply is saved, on whatever tier it was asked for. */
export function saveReply({ state, slot, guards }: TierWrite): void {
  if (!isOnStep(state, slot)) return;
  const { turn, queue } = state;
  Object.assign(turn, { owner: 'none', lease: 'none' });
  if (turn.round === turn.lastRound) {
    Object.assign(turn, { status: 'saved', due: 'null' });
    return;
  }
  Object.assign(turn, { round: turn.round + 1, attempts: 0, isRaised: false, due: 'far' });
  if (guards.freshStepClearsTier) Object.assign(turn, { tier: 'flex', refusals: 0 });
  state.saw = { changes: 0, refusals: 0, failures: 0 };
  state.cached = slot === 0 ? turn.round : 0;
  queue.old ||= queue.now;
  queue.now = true;
}

/** `retry-round.ts` after a failure: it counts the tries that it has loaded. */
export function afterFailure({ state, slot }: TierWrite): void {
  const run = runIn(state, slot);
  run.at = run.attempts + 1 < MOST_TRIES ? 'postponing' : 'failing';
  if (run.at === 'failing' && run.isFresh && isOnStep(state, slot) && state.saw.failures + 1 < MOST_TRIES) {
    state.broken ??= 'a turn failed before its tries were used up';
  }
}

/** `retryWithCapacity` of `retry-round.ts`: it counts the refusals that it has loaded. */
export function afterRefusal(write: TierWrite): void {
  const run = runIn(write.state, write.slot);
  run.isRefused = true;
  if (run.refusals + 1 >= MOST_REFUSALS) leaveTier(write);
  else run.at = 'waiting';
}

/** `postpone.ts` (R5) after a refusal for lack of capacity, which uses no try. */
export function waitForCapacity(write: TierWrite): void {
  if (!mayPostpone(write)) return;
  const { turn } = write.state;
  postpone(write);
  countRefusal(write);
  if (!write.guards.refusalUsesNoTry) turn.attempts += 1;
}

/** `postpone.ts` (R5) after any other failure. */
export function postponeRound(write: TierWrite): void {
  if (!mayPostpone(write)) return;
  const { state } = write;
  postpone(write);
  state.turn.attempts += 1;
  state.saw.failures += 1;
}

/** `postpone.ts` with a tier (R24). */
export function changeTier(write: TierWrite): void {
  if (!mayPostpone(write)) return;
  const { state, slot } = write;
  const { turn, saw } = state;
  if (turn.lease === 'live' && turn.owner !== slot) state.broken ??= 'a tier was left while another run asked on it';
  if (saw.changes > 0) state.broken ??= 'a round changed its tier twice';
  const { isRefused, isLate } = runIn(state, slot);
  postpone(write);
  if (isRefused) countRefusal(write);
  if (!isLate && saw.refusals < MOST_REFUSALS) state.broken ??= 'a tier was left before three refusals';
  turn.tier = 'default';
  saw.changes += 1;
}

/** A commit whose answer was lost is made again, and must count nothing then. */
function countRefusal({ state, slot }: TierWrite): void {
  const { turn, saw } = state;
  const run = runIn(state, slot);
  turn.refusals += 1;
  if (!run.isCounted) saw.refusals += 1;
  run.isCounted = true;
  if (turn.refusals > saw.refusals) state.broken ??= 'a round has counted more refusals than it had';
}

function postpone({ state, guards }: TierWrite): void {
  Object.assign(state.turn, { owner: 'none', lease: 'none', due: guards.tierChangeIsDue ? 'far' : 'never' });
  if (guards.tierChangeRaisesGeneration) raiseGeneration(state);
  state.queue.now = true;
}

function mayPostpone({ state, slot, guards }: TierWrite): boolean {
  if (!isOnStep(state, slot)) return false;
  const { turn } = state;
  if (turn.owner === slot) return true;
  if (!runIn(state, slot).isFresh && guards.tierChangeChecksGeneration) return false;
  return turn.lease !== 'live' || !guards.tierChangeChecksLease;
}

/** The negative end (R5). */
export function failTurn({ state, slot }: TierWrite): void {
  if (!isOnStep(state, slot)) return;
  const { turn } = state;
  if (turn.owner !== slot && (!runIn(state, slot).isFresh || turn.lease === 'live')) return;
  Object.assign(turn, { status: 'failed', owner: 'none', lease: 'none', due: 'null' });
}

/** `rescue.ts` (R9, R11). */
export function rescueTurn(state: TierState): void {
  raiseGeneration(state);
  state.turn.due = 'far';
  state.queue.now = true;
}

/** A run is over. */
export function leaveSlot(state: TierState, slot: number): void {
  state.runs[slot] = idleTierRun();
  if (state.turn.owner === slot) state.turn.owner = 'over';
}

function isOnStep(state: TierState, slot: number): boolean {
  return state.turn.status === 'active' && runIn(state, slot).round === state.turn.round;
}

/** `generation + 1`: a job that waits is an old one from now on. */
function raiseGeneration({ turn, queue, runs }: TierState): void {
  turn.isRaised = true;
  queue.old ||= queue.now;
  queue.now = false;
  for (const run of runs) run.isFresh = false;
}
