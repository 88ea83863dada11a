import type { EmitPlain } from '../explore/plain-model.ts';
import type { AdmissionGuards } from './admission-guards.ts';
import { type AdmissionFault, type AdmissionState, type AdmittedRun, turnIn } from './admission-state.ts';
import {
  admit,
  answer,
  askAgain,
  cancel,
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

type Emit = EmitPlain<AdmissionState, AdmissionFault>;

/** Emits all that may happen next to the turns of two projects. */
export function movesOfAdmission(state: AdmissionState, guards: AdmissionGuards, emit: Emit): void {
  handOut(state, guards, emit);
  for (const index of state.turns.keys()) passTime(state, { index, guards, emit });
  for (const [slot, run] of state.runs.entries()) moveRun(state, { run, slot, guards, emit });
  if (state.turns.some(({ job, oldJob }) => job || oldJob)) emit('the queue loses its jobs', loseJobs, 'flush');
}

/** `admit_turns`: counted and written under one lock; by the process that was asked, or by the clock. */
function handOut(state: AdmissionState, guards: AdmissionGuards, emit: Emit): void {
  state.admitters.forEach(({ counted }, index) => {
    // Where they wait for each other, one process is as good as two.
    if (guards.admissionIsAlone && index > 0) return;
    const name = `process ${index + 1}`;
    if (counted) emit(`${name} admits`, (after) => admit(after, index, guards));
    if (counted)
      emit(`${name} admits, and dies before it enqueues`, (after) => admit(after, index, guards, 'dies'), 'crash');
    if (counted || (!state.isRequested && !guards.clockAdmits)) return;
    emit(`${name} counts places`, (after) => count(after, index, guards));
  });
  if (state.isRequested) {
    emit(
      'the request for an admission is lost',
      (after) => Object.assign(after, { isRequested: false }),
      'lostRequest',
    );
  }
}

type OfTurn = { index: number; guards: AdmissionGuards; emit: Emit };

function passTime(state: AdmissionState, { index, guards, emit }: OfTurn): void {
  const turn = turnIn(state, index);
  const name = `turn ${index}`;
  if (turn.status === 'waits') emit(`a client answers ${name}`, (after) => answer(after, index, guards));
  if (turn.status === 'ended') return;
  emit(`a caller cancels ${name}`, (after) => cancel(after, index, guards), 'cancel');
  if (turn.place === 'none' && turn.isPostponed && guards.endedWaitAsks)
    emit(`the wait of ${name} is over`, (after) => askAgain(after, index));
  if (turn.oldJob === false)
    emit(`an old job of ${name} comes`, (after) => Object.assign(turnIn(after, index), { oldJob: true }), 'duplicate');
  if (turn.place !== 'held') return;
  const isAtWork = typeof turn.owner === 'number';
  const isLate = (after: AdmissionState) => Object.assign(turnIn(after, index), { due: 'late', owner: null });
  if (turn.due === 'far' && !isAtWork) emit(`${name} is late`, isLate, turn.job ? 'backlog' : undefined);
  if (turn.due === 'late') emit(`${name} is rescued`, (after) => rescue(after, index));
}

type OfRun = { run: AdmittedRun; slot: number; guards: AdmissionGuards; emit: Emit };

function moveRun(state: AdmissionState, { run, slot, guards, emit }: OfRun): void {
  const name = `w${slot + 1}`;
  if (run.at === 'idle') {
    takeJobs(state, { run, slot, guards, emit });
    return;
  }
  const leave = (after: AdmissionState) => Object.assign(after.runs[slot] as AdmittedRun, { at: 'idle', turn: 0 });
  const index = run.turn;
  if (run.at === 'wants-lease') {
    emit(`${name} takes the lease`, (after) => {
      leave(after);
      if (takeLease(after, { index, slot, guards }))
        Object.assign(after.runs[slot] as AdmittedRun, { at: 'working', turn: index });
    });
    return;
  }
  if (turnIn(state, index).owner !== slot) {
    emit(`${name} has lost its step`, leave);
    return;
  }
  if (run.at === 'hanging') return;
  const may = (verb: string, change: (after: AdmissionState) => void, fault?: AdmissionFault) =>
    emit(
      `${name} ${verb}`,
      (after) => {
        leave(after);
        change(after);
      },
      fault,
    );
  may('ends its turn', (after) => endTurn(after, index, guards));
  may('goes on to the next step', (after) => goOn(after, index), 'step');
  may('leaves its turn to a client', (after) => park(after, index, guards), 'wait');
  may('postpones its step', (after) => postpone(after, index, guards), 'postpone');
  may('dies', (after) => Object.assign(turnIn(after, index), { owner: 'over' }), 'crash');
  emit(`${name} hangs`, (after) => Object.assign(after.runs[slot] as AdmittedRun, { at: 'hanging' }), 'hang');
}

function takeJobs(state: AdmissionState, { slot, guards, emit }: OfRun): void {
  state.turns.forEach((turn, index) => {
    for (const job of ['job', 'oldJob'] as const) {
      if (!turn[job]) continue;
      emit(`w${slot + 1} takes ${job === 'job' ? 'the job' : 'an old job'} of turn ${index}`, (after) => {
        turnIn(after, index)[job] = false;
        const hasPlace = turn.place === 'held' || !guards.jobAsksForPlace;
        if (turn.status !== 'active' || typeof turn.owner === 'number' || !hasPlace) return;
        const run = after.runs[slot] as AdmittedRun;
        Object.assign(run, { at: turn.isFresh ? 'working' : 'wants-lease', turn: index });
        if (turn.isFresh) startWork(turnIn(after, index), slot, after);
      });
    }
  });
}
