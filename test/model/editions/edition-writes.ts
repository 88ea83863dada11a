import type { EditionGuards } from './edition-guards.ts';
import { type EditionState, idleEditionRun } from './edition-state.ts';

/** A write of the run in a slot. */
export type RunWrite = { state: EditionState; slot: number; guards: EditionGuards };

/** `begin.ts`, `takeLease`, the first heartbeat: the lease and its edition are one write (R18). */
export function acquire({ state, slot, guards }: RunWrite): void {
  const { turn } = state;
  const run = runOf(state, slot);
  if (turn.owner !== slot) {
    run.edition = turn.edition;
    if (guards.leaseRaisesEdition) turn.edition += 1;
  } else run.edition = turn.edition - 1;
  Object.assign(turn, { owner: slot, lease: 'live', due: 'far' });
  run.knowsLease = true;
}

/** `takeLease`. False where another run has the turn. */
export function takeEditionLease(write: RunWrite): boolean {
  const { turn } = write.state;
  if (turn.status !== 'active' || turn.lease === 'live') return false;
  acquire(write);
  return true;
}

/** `mayRenew` of `lease.ts` (R4). */
export function mayRenewEdition({ state, slot }: Omit<RunWrite, 'guards'>): boolean {
  const { turn } = state;
  const run = runOf(state, slot);
  if (turn.status !== 'active') return false;
  if (turn.owner === slot) return true;
  return !run.knowsLease && run.isFresh && turn.lease !== 'live';
}

/** A piece of the reply reaches those who watch. */
export function tellPiece({ state, slot }: RunWrite): void {
  const run = runOf(state, slot);
  const edition = run.edition ?? 0;
  const teller = state.told[edition] ?? 'nobody';
  if (teller !== 'nobody' && teller !== slot) state.broken ??= 'two runs told pieces under one edition';
  if (isEditionSaved(state) && edition > (state.turn.saved ?? 0)) {
    state.broken ??= 'a piece was told under an edition above the saved one';
  }
  for (let index = 0; index <= edition; index += 1) state.told[index] ??= 'nobody';
  state.told[edition] = slot;
  run.told = true;
}

/** `save-round.ts`, `end.ts`: the first write wins, under its own edition or, where another lease came since, the next. */
export function saveReply({ state, slot, guards }: RunWrite): boolean {
  const { turn, told } = state;
  const run = runOf(state, slot);
  if (turn.status !== 'active') return false;
  const now = guards.saveReadsLockedEdition ? turn.edition : run.saw;
  const isNewest = run.edition !== null && run.edition === now - 1;
  const isOwn = guards.saveIsNewest ? isNewest : run.edition !== null;
  const edition = isOwn ? (run.edition ?? 0) : now;
  const teller = told[edition] ?? 'nobody';
  if (teller !== 'nobody' && teller !== slot) state.broken ??= 'a reply was saved under the edition of another run';
  if (told.slice(edition + 1).some((above) => above !== 'nobody')) {
    state.broken ??= 'a reply was saved under a lower edition than one that was told';
  }
  Object.assign(turn, { status: 'saved', owner: 'none', lease: 'none', due: 'null', saved: edition });
  return true;
}

/** `postpone.ts` (R5): whoever told nothing gives the edition back, where it is the newest. */
export function postponeEdition({ state, slot, guards }: RunWrite): boolean {
  const { turn, queue } = state;
  const run = runOf(state, slot);
  if (!mayWriteNegative(state, slot)) return false;
  const isNewest = run.edition !== null && turn.edition === run.edition + 1;
  const mayReturn = run.told ? !guards.toldEditionIsKept : true;
  if (run.edition !== null && mayReturn && (isNewest || !guards.onlyNewestIsReturned)) {
    if (guards.untoldEditionIsReturned) turn.edition = run.edition;
    else if (!run.told) state.broken ??= 'a round that was put off before its first piece became a new edition';
  }
  raise(state);
  Object.assign(turn, { owner: 'none', lease: 'none', due: 'far' });
  queue.now = true;
  return true;
}

/** The negative end (R5). What it says has a number of the edition, so the next try has another. */
export function failEdition({ state, slot }: RunWrite): boolean {
  if (!mayWriteNegative(state, slot)) return false;
  const { edition } = state.turn;
  Object.assign(state.turn, { status: 'failed', owner: 'none', lease: 'none', due: 'null', edition: edition + 1 });
  return true;
}

/** `retry.ts` (R14): the step begins again, with the editions that it has had. */
export function retryEdition(state: EditionState, guards: EditionGuards): void {
  raise(state);
  Object.assign(state.turn, { status: 'active', due: 'far' });
  if (!guards.retryKeepsEdition) state.turn.edition = 0;
  state.queue.now = true;
}

/** `rescue.ts` (R9, R11). */
export function rescueEdition(state: EditionState): void {
  raise(state);
  state.turn.due = 'far';
  state.queue.now = true;
}

/** A run is over; what it told stays told. */
export function leaveSlot(state: EditionState, slot: number): void {
  state.runs[slot] = idleEditionRun();
  if (state.turn.owner === slot) state.turn.owner = 'over';
  state.told = state.told.map((teller) => (teller === slot ? 'over' : teller));
}

/** The run of a slot. */
export function runOf({ runs }: EditionState, slot: number) {
  const run = runs[slot];
  if (!run) throw new Error(`There is no slot ${slot}.`);
  return run;
}

function isEditionSaved({ turn }: EditionState): boolean {
  return turn.status === 'saved';
}

function mayWriteNegative({ turn, runs }: EditionState, slot: number): boolean {
  if (turn.status !== 'active') return false;
  return turn.owner === slot || (runs[slot]?.isFresh === true && turn.lease !== 'live');
}

/** `generation + 1`: a job that waits is an old one from now on. */
function raise({ turn, queue, runs }: EditionState): void {
  turn.isRaised = true;
  queue.old ||= queue.now;
  queue.now = false;
  for (const run of runs) run.isFresh = false;
}
