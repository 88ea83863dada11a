import { at } from '../explore/plain-model.ts';
import type { AdmissionGuards } from './admission-guards.ts';
import { type AdmissionState, type AdmittedTurn, heldBy, type ProjectName } from './admission-state.ts';

const PROJECTS: ProjectName[] = ['a', 'b'];

/** The columns of a run after a new step or a commit. */
const FREE = { owner: null, isPostponed: false, isFresh: false } as const;

/** Counts the free slots of each project, as an admission sees them. */
export function count(after: AdmissionState, index: number, guards: AdmissionGuards): void {
  const roomOf = (project: ProjectName) => {
    const { window, quota } = after.bounds[project];
    const ofWindow = guards.windowBoundsProject ? window : 2;
    return Math.min(ofWindow, quota ?? ofWindow) - heldBy(after, project);
  };
  at(after.admitters, index).counted = { a: roomOf('a'), b: roomOf('b') };
  after.isRequested = false;
}

/** Assigns the counted slots to the first turns that request a slot. */
export function admit(after: AdmissionState, index: number, guards: AdmissionGuards, ends?: 'dies'): void {
  const admitter = at(after.admitters, index);
  for (const project of PROJECTS) {
    const room = admitter.counted?.[project] ?? 0;
    const asking = after.turns.filter((turn) => turn.project === project && turn.slot === 'wanted');
    for (const turn of asking.slice(0, Math.max(room, 0))) {
      Object.assign(turn, { slot: 'held', due: guards.admittedIsDue ? 'far' : 'never', job: ends !== 'dies' });
    }
    const { quota } = after.bounds[project];
    if (quota !== null && heldBy(after, project) > quota) after.broken ??= 'a project had more slots than its quota';
  }
  admitter.counted = null;
}

/** Models `lease.ts` and `begin.ts`. */
export function takeLease(
  after: AdmissionState,
  { index, slot, guards }: { index: number; slot: number; guards: AdmissionGuards },
): boolean {
  const turn = at(after.turns, index);
  if (turn.status !== 'active' || typeof turn.owner === 'number') return false;
  if (turn.slot !== 'held' && guards.leaseNeedsSlot) return false;
  startWork(turn, slot, after);
  return true;
}

/** Puts a run on the step, with its lease or, if none is needed, without a lease. */
export function startWork(turn: AdmittedTurn, slot: number, after: AdmissionState): void {
  if (turn.slot !== 'held') after.broken ??= 'a step ran without a slot';
  Object.assign(turn, { owner: slot, due: 'far' });
}

export function endTurn(after: AdmissionState, index: number, guards: AdmissionGuards): void {
  const slot = guards.endReleasesSlot ? null : at(after.turns, index).slot;
  Object.assign(at(after.turns, index), { ...FREE, status: 'ended', slot, due: 'never' });
  after.isRequested = true;
}

/** Starts the next step of a turn that holds its slot. */
export function goOn(after: AdmissionState, index: number): void {
  const turn = at(after.turns, index);
  Object.assign(turn, { ...FREE, isFresh: true, due: 'far', oldJob: turn.oldJob || turn.job, job: true });
}

/** Models `save-round.ts` and `advance-batch.ts` if every open call waits for a client. */
export function park(after: AdmissionState, index: number, guards: AdmissionGuards): void {
  giveBack(at(after.turns, index), guards);
  Object.assign(at(after.turns, index), { status: 'waits' });
  after.isRequested = true;
}

/** Models `postpone.ts`: it enqueues no job, and the clock ends the wait. */
export function postpone(after: AdmissionState, index: number, guards: AdmissionGuards): void {
  giveBack(at(after.turns, index), guards);
  Object.assign(at(after.turns, index), { isPostponed: true });
  after.isRequested = true;
}

function giveBack(turn: AdmittedTurn, guards: AdmissionGuards): void {
  const slot = guards.waitReleasesSlot ? 'none' : turn.slot;
  Object.assign(turn, { ...FREE, due: 'never', slot, oldJob: turn.oldJob || turn.job, job: false });
}

/** Models `answer-calls.ts`: a step that a client makes due requests a slot like any other step. */
export function answer(after: AdmissionState, index: number, guards: AdmissionGuards): void {
  const turn = at(after.turns, index);
  const slot = turn.slot === 'held' || !guards.answerRequestsSlot ? 'held' : 'wanted';
  const isHeld = slot === 'held';
  Object.assign(turn, { status: 'active', slot, isFresh: true, due: isHeld ? 'far' : 'never', job: isHeld });
  const { quota } = after.bounds[turn.project];
  if (quota !== null && heldBy(after, turn.project) > quota) after.broken ??= 'a project had more slots than its quota';
  after.isRequested = true;
}

export function askAgain(after: AdmissionState, index: number): void {
  Object.assign(at(after.turns, index), { slot: 'wanted', isPostponed: false });
}

export function rescue(after: AdmissionState, index: number): void {
  const turn = at(after.turns, index);
  Object.assign(turn, { isFresh: false, due: 'far', oldJob: turn.oldJob || turn.job, job: true });
}

export function loseJobs(after: AdmissionState): void {
  for (const turn of after.turns) Object.assign(turn, { job: false, oldJob: false });
}
