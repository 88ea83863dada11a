import type { InputGuards } from './input-guards.ts';
import { IDLE, type InputRun, type InputState, isActive } from './input-state.ts';

type ByRun = { slot: number; guards: InputGuards };

/** Models `join.ts`. Returns whether it wrote. */
export function joinTurn(after: InputState, guards: InputGuards): boolean {
  if (!isActive(after)) {
    if (guards.joinNeedsActiveTurn) return false;
    after.broken ??= 'an input joined an ended turn';
  }
  after.inputs += 1;
  if (!guards.joinKeepsGeneration) Object.assign(after, { generation: after.generation + 1, jobs: after.jobs + 1 });
  if (!guards.joinKeepsDue) {
    const isLeft = after.jobs === 0 && after.runs.every(({ at }) => at === 'idle');
    if (after.isLate && isLeft) after.broken ??= 'a join hid that no worker runs the turn';
    after.isLate = false;
  }
  return true;
}

/**
 * Models `begin.ts` and `lease.ts`: the turn begins with the inputs that have joined, and the run loads exactly
 * those.
 */
export function begin(after: InputState, run: InputRun, { slot, guards }: ByRun): void {
  const isFree = after.owner === null || after.owner === 'over';
  if (!isActive(after) || !isFree || after.step !== run.step) {
    Object.assign(run, IDLE);
    return;
  }
  if (after.status === 'queued')
    Object.assign(after, { status: 'active', inputsAtStart: after.inputs, sent: after.inputs });
  if (guards.beginTakesInputs) run.view = after.inputs;
  Object.assign(after, { owner: slot, isLate: false });
  run.at = 'asking';
}

/** Models `write-ending.ts`: the answer ends the turn if its round has sent all joined inputs. */
export function commitEnd(after: InputState, run: InputRun, guards: InputGuards): void {
  const looked = guards.endLooksAtLockedRow ? after.inputs : run.seen;
  const hasSentAll = sentBy(after, run, guards) === looked || !guards.endIsGuarded;
  if (after.status !== 'active' || after.step !== run.step || !hasSentAll) {
    run.at = 'refused';
    return;
  }
  saveRound(after, run, guards);
  if (after.inputs > after.sent) after.broken ??= 'a turn was answered without a joined input';
  Object.assign(after, { status: 'completed', owner: null, isLate: false });
  Object.assign(run, IDLE);
}

/** Models `saveSupersededAnswer`: saves the answer as an intermediate round, and makes the next round due. */
export function saveSuperseded(after: InputState, run: InputRun, guards: InputGuards): void {
  const hasNew = after.inputs > sentBy(after, run, guards);
  if (after.status === 'active' && after.step === run.step && (hasNew || !guards.supersededNeedsInput)) {
    if (!hasNew) after.broken ??= 'a round was due without an input to answer';
    saveRound(after, run, guards);
    const next = { step: after.step + 1, generation: 0, raised: 0, owner: null, isLate: false, jobs: after.jobs + 1 };
    Object.assign(after, next);
  }
  Object.assign(run, IDLE);
}

/** Models a negative write by the run with the lease. The step stays, and a retry makes it due again. */
export function fail(after: InputState, run: InputRun, slot: number): void {
  const isOwn = after.owner === slot || (after.owner === null && after.generation === run.generation);
  if (after.status === 'active' && after.step === run.step && isOwn)
    Object.assign(after, { status: 'failed', owner: null, isLate: false });
  Object.assign(run, IDLE);
}

function sentBy(after: InputState, run: InputRun, guards: InputGuards): number {
  return guards.sentIsWhatWasLoaded ? run.view : after.inputs;
}

function saveRound(after: InputState, run: InputRun, guards: InputGuards): void {
  const sent = sentBy(after, run, guards);
  if (sent > run.view) after.broken ??= 'an input was recorded as sent although no model received it';
  if (run.view < (after.inputsAtStart ?? 0))
    after.broken ??= 'a turn began with an input that its first round did not send';
  if (sent < after.sent) after.broken ??= 'an input was sent twice';
  after.sent = sent;
}
