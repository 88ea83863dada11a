import type { Emit } from '../explore/model.ts';
import { at, plainModel } from '../explore/plain-model.ts';
import type { AnyFault, Left } from '../fault.ts';
import { type MayRun, moveRuns } from '../shared/move-runs.ts';
import { named, type Suite, suiteOf } from '../suite.ts';
import { type AdmissionGuards, admissionGuards } from './admission-guards.ts';
import { type AdmissionScene, type AdmissionState, type AdmittedRun, firstAdmission, IDLE } from './admission-state.ts';
import {
  admit,
  answer,
  askAgain,
  count,
  endTurn,
  goOn,
  loseJobs,
  park,
  postpone,
  rescue,
  startWork,
  takeLease,
} from './admission-writes.ts';

const BOUNDS: Record<AdmissionScene, AdmissionState['bounds']> = {
  window: { a: { window: 1, quota: null }, b: { window: 1, quota: null } },
  quota: { a: { window: 2, quota: 1 }, b: { window: 1, quota: null } },
};

/** The model of the slots that two projects share (R27, R28). */
export const admissionSuite: Suite = suiteOf({
  promise: 'each project gets its slots, up to its quota',
  guards: admissionGuards,
  modelOf: (guards: AdmissionGuards, { scene, faults }: { scene: AdmissionScene; faults: Left }) =>
    plainModel<AdmissionState>({
      first: firstAdmission(BOUNDS[scene]),
      faults,
      movesOf: (state, emit) => {
        handOut(state, guards, emit);
        for (const index of state.turns.keys()) passTime(state, { index, guards, emit });
        moveRuns(state, emit, (run, may, slot) => moveRun(state, { run, slot, guards, may }));
        if (state.turns.some(({ job, oldJob }) => job || oldJob)) emit('the queue loses its jobs', loseJobs, 'flush');
      },
      isDone,
    }),
  scenes: ({ each }) =>
    (['window', 'quota'] as const).flatMap((scene) =>
      named('admission', [
        { scene, faults: { crash: each, hang: each + 1 } },
        { scene, faults: { crash: each, lostRequest: each } },
        { scene, faults: { crash: each, flush: each, step: 1 } },
        { scene, faults: { crash: each, postpone: each, wait: 1 } },
        { scene, faults: { duplicate: 1, backlog: 1, cancel: 1 } },
      ]),
    ),
});

/** Returns whether every turn that can end has ended. A hanging step may delay the turns of its own project only. */
function isDone({ turns, runs }: AdmissionState): boolean {
  const hanging = runs.flatMap((run) => (run.at === 'hanging' ? [turns[run.turn]?.project] : []));
  return turns.every(({ project, status }) => status === 'ended' || hanging.includes(project));
}

/** Models `admit_turns`: an admission counts and writes under one lock, on request or by the clock. */
function handOut(state: AdmissionState, guards: AdmissionGuards, emit: Emit<AdmissionState>): void {
  state.admitters.forEach(({ counted }, index) => {
    // If admissions lock each other out, a second process adds no behavior.
    if (guards.admissionIsAlone && index > 0) return;
    const name = `process ${index + 1}`;
    if (counted) emit(`${name} admits`, (after) => admit(after, index, guards));
    if (counted)
      emit(
        `${name} assigns slots, and dies before it enqueues`,
        (after) => admit(after, index, guards, 'dies'),
        'crash',
      );
    if (counted || (!state.isRequested && !guards.clockAdmits)) return;
    emit(`${name} counts slots`, (after) => count(after, index, guards));
  });
  if (state.isRequested) {
    emit(
      'the request for an admission is lost',
      (after) => Object.assign(after, { isRequested: false }),
      'lostRequest',
    );
  }
}

type OfTurn = { index: number; guards: AdmissionGuards; emit: Emit<AdmissionState> };

function passTime(state: AdmissionState, { index, guards, emit }: OfTurn): void {
  const turn = at(state.turns, index);
  const name = `turn ${index}`;
  if (turn.status === 'waits') emit(`a client answers ${name}`, (after) => answer(after, index, guards));
  if (turn.status === 'ended') return;
  emit(`a caller cancels ${name}`, (after) => endTurn(after, index, guards), 'cancel');
  if (turn.slot === 'none' && turn.isPostponed && guards.endedWaitRequestsSlot)
    emit(`the wait of ${name} is over`, (after) => askAgain(after, index));
  if (turn.oldJob === false)
    emit(
      `an old job of ${name} arrives`,
      (after) => Object.assign(at(after.turns, index), { oldJob: true }),
      'duplicate',
    );
  if (turn.slot !== 'held') return;
  const isAtWork = typeof turn.owner === 'number';
  const isLate = (after: AdmissionState) => Object.assign(at(after.turns, index), { due: 'late', owner: null });
  if (turn.due === 'far' && !isAtWork) emit(`${name} is late`, isLate, turn.job ? 'backlog' : undefined);
  if (turn.due === 'late') emit(`${name} is rescued`, (after) => rescue(after, index));
}

type OfRun = { run: AdmittedRun; slot: number; guards: AdmissionGuards; may: MayRun<AdmissionState> };

function moveRun(state: AdmissionState, { run, slot, guards, may }: OfRun): void {
  const index = run.turn;
  if (run.at === 'idle') takeJobs(state, { run, slot, guards, may });
  else if (run.at === 'wants-lease')
    may('takes the lease', (own, after) => {
      const isTaken = takeLease(after, { index, slot, guards });
      Object.assign(own, isTaken ? { at: 'working' } : IDLE);
    });
  else if (at(state.turns, index).owner !== slot) may('has lost its step', (own) => Object.assign(own, IDLE));
  else if (run.at === 'working') work(index, guards, may);
}

function work(index: number, guards: AdmissionGuards, may: MayRun<AdmissionState>): void {
  const leave = (verb: string, change: (after: AdmissionState) => void, fault?: AnyFault) =>
    may(
      verb,
      (own, after) => {
        Object.assign(own, IDLE);
        change(after);
      },
      fault,
    );
  leave('ends its turn', (after) => endTurn(after, index, guards));
  leave('continues with the next step', (after) => goOn(after, index), 'step');
  leave('leaves the turn waiting for a client', (after) => park(after, index, guards), 'wait');
  leave('postpones its step', (after) => postpone(after, index, guards), 'postpone');
  leave('dies', (after) => Object.assign(at(after.turns, index), { owner: 'over' }), 'crash');
  may('hangs', (own) => Object.assign(own, { at: 'hanging' }), 'hang');
}

function takeJobs({ turns }: AdmissionState, { slot, guards, may }: OfRun): void {
  turns.forEach((turn, index) => {
    for (const job of ['job', 'oldJob'] as const) {
      if (!turn[job]) continue;
      may(`takes ${job === 'job' ? 'the job' : 'an old job'} of turn ${index}`, (own, after) => {
        const taken = at(after.turns, index);
        taken[job] = false;
        const hasSlot = turn.slot === 'held' || !guards.jobNeedsSlot;
        if (turn.status !== 'active' || typeof turn.owner === 'number' || !hasSlot) return;
        Object.assign(own, { at: turn.isFresh ? 'working' : 'wants-lease', turn: index });
        if (turn.isFresh) startWork(taken, slot, after);
      });
    }
  });
}
