import type { FallbackGuards } from './fallback-guards.ts';
import { type FallbackState, idleFallbackRun, LAST_MODEL, MOST_TRIES, runIn } from './fallback-state.ts';

/** A write of the run in a slot. */
export type FallbackWrite = { state: FallbackState; slot: number; guards: FallbackGuards };

/** `takeLease` (R3, R24). */
export function takeLease(write: FallbackWrite): boolean {
  const { state, slot, guards } = write;
  const isLeft = runIn(state, slot).model !== state.turn.model;
  if (isLeft && guards.leaseChecksModel) return false;
  if (!acquireLease(write)) return false;
  if (isLeft) state.broken ??= 'a model was asked again that the turn had left';
  return true;
}

/** The first heartbeat, and the later ones (R4). */
export function acquireLease({ state, slot }: FallbackWrite): boolean {
  const { turn } = state;
  if (turn.status !== 'active' || (turn.lease === 'live' && turn.owner !== slot)) return false;
  Object.assign(turn, { owner: slot, lease: 'live', due: 'far' });
  runIn(state, slot).knowsLease = true;
  return true;
}

/** `mayRenew` of `lease.ts` (R4). */
export function mayRenewLease({ turn, runs }: FallbackState, slot: number): boolean {
  if (turn.status !== 'active') return false;
  const run = runs[slot];
  return turn.owner === slot || (!run?.knowsLease && run?.isFresh === true && turn.lease !== 'live');
}

/** A request leaves: to the model that the run has loaded. */
export function askModel(state: FallbackState, slot: number): void {
  const run = runIn(state, slot);
  run.at = 'asking';
  if (state.turn.status === 'active' && run.model > state.turn.model) {
    state.broken ??= 'a model was asked before the change to it was committed';
  }
}

/** `save-round.ts`, `end.ts` (R5, R24). */
export function saveReply({ state, slot, guards }: FallbackWrite): void {
  const { turn } = state;
  const { model, isAnswer } = runIn(state, slot);
  if (turn.status !== 'active') return;
  const isChecked = isAnswer ? guards.leftModelAnswersNothing : guards.leftModelSavesNoRound;
  if (model !== turn.model && isChecked) return;
  if (model !== turn.model) state.broken ??= 'a reply was saved of a model that the turn had left';
  Object.assign(turn, { status: 'saved', owner: 'none', lease: 'none', due: 'null' });
}

/** `change-model.ts` (R24). */
export function changeModel({ state, slot, guards }: FallbackWrite): void {
  const { turn } = state;
  const run = runIn(state, slot);
  if (turn.status !== 'active' || !mayChange({ state, slot, guards })) return;
  if (run.model !== turn.model) state.broken ??= 'a turn went on from a model that it was not at';
  if (turn.lease === 'live' && turn.owner !== slot) state.broken ??= 'a model was left while another run asked it';
  Object.assign(turn, { model: run.model + 1, owner: 'none', lease: 'none' });
  turn.due = guards.changeIsDue ? 'far' : 'never';
  if (guards.changeClearsTries) turn.attempts = 0;
  state.tries = 0;
  if (guards.changeRaisesGeneration) raiseGeneration(state);
  state.queue.now = true;
}

function mayChange({ state, slot, guards }: FallbackWrite): boolean {
  const { turn } = state;
  if (turn.owner === slot) return true;
  if (!runIn(state, slot).isFresh && guards.changeChecksGeneration) return false;
  return turn.lease !== 'live' || !guards.changeChecksLease;
}

/** `postpone.ts` (R5): the try counts. */
export function postponeRound({ state, slot }: FallbackWrite): void {
  if (!mayWriteNegative(state, slot)) return;
  Object.assign(state.turn, { owner: 'none', lease: 'none', due: 'far', attempts: state.turn.attempts + 1 });
  state.tries += 1;
  raiseGeneration(state);
  state.queue.now = true;
}

/** The negative end (R5), of the last model alone. */
export function failTurn({ state, slot }: FallbackWrite): void {
  if (!mayWriteNegative(state, slot)) return;
  if (state.turn.model < LAST_MODEL) state.broken ??= 'a turn failed although a model was left';
  Object.assign(state.turn, { status: 'failed', owner: 'none', lease: 'none', due: 'null' });
}

/** `retry.ts` (R14): the step begins anew, with the turn's own model. */
export function retryTurn(state: FallbackState): void {
  raiseGeneration(state);
  Object.assign(state.turn, { status: 'active', due: 'far', model: 0, attempts: 0 });
  state.tries = 0;
  state.queue.now = true;
}

/** `rescue.ts` (R9, R11). */
export function rescueTurn(state: FallbackState): void {
  raiseGeneration(state);
  state.turn.due = 'far';
  state.queue.now = true;
}

/** What a run does whose model failed for now (`retry.ts`): it counts the tries that it has loaded. */
export function afterFailure({ state, slot }: FallbackWrite): 'postponing' | 'changing' | 'failing' {
  const run = runIn(state, slot);
  if (run.attempts + 1 < MOST_TRIES) return 'postponing';
  const isCurrent = run.model === state.turn.model && run.isFresh;
  if (isCurrent && state.tries + 1 < MOST_TRIES) state.broken ??= 'a model was left before its tries were used up';
  return run.model < LAST_MODEL ? 'changing' : 'failing';
}

/** A run is over. */
export function leaveSlot(state: FallbackState, slot: number): void {
  state.runs[slot] = idleFallbackRun();
  if (state.turn.owner === slot) state.turn.owner = 'over';
}

function mayWriteNegative({ turn, runs }: FallbackState, slot: number): boolean {
  if (turn.status !== 'active') return false;
  return turn.owner === slot || (runs[slot]?.isFresh === true && turn.lease !== 'live');
}

/** `generation + 1`: a job that waits is an old one from now on. */
function raiseGeneration({ turn, queue, runs }: FallbackState): void {
  turn.isRaised = true;
  queue.old ||= queue.now;
  queue.now = false;
  for (const run of runs) run.isFresh = false;
}
