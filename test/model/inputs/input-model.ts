import type { Emit } from '../explore/model.ts';
import { plainModel } from '../explore/plain-model.ts';
import type { Left } from '../fault.ts';
import { addJob, isForgotten, type MayRun, moveRuns } from '../shared/move-runs.ts';
import { type Suite, suiteOf, withFaults } from '../suite.ts';
import { type InputGuards, inputGuards } from './input-guards.ts';
import { type Caller, IDLE, type InputRun, type InputState, isActive } from './input-state.ts';
import { begin, commitEnd, fail, joinTurn, saveSuperseded } from './input-writes.ts';

/** The model of a turn that inputs join (R26, R29, R30). */
export const inputSuite: Suite = suiteOf({
  promise: 'each input that joins a turn is sent once, in order, before its answer',
  guards: inputGuards,
  modelOf: (guards: InputGuards, { faults }: { faults: Left }) =>
    plainModel<InputState>({
      first: {
        ...{
          status: 'queued',
          step: 1,
          generation: 0,
          raised: 0,
          inputs: 0,
          inputsAtStart: null,
          sent: 0,
          isLate: false,
        },
        ...{ owner: null, jobs: 1, callers: [{ saw: null }, { saw: null }], made: 0 },
        runs: [{ ...IDLE }, { ...IDLE }],
      },
      faults,
      movesOf: (state, emit) => {
        suffer(state, emit);
        for (const [index, caller] of state.callers.entries()) speak({ caller, index, guards, emit });
        moveRuns(state, emit, (run, may, slot) => moveRun(state, run, { slot, guards, may }));
      },
      isDone: (state) => !isActive(state) && state.callers.every(({ saw }) => saw === null),
    }),
  scenes: ({ each }) =>
    withFaults('inputs', [
      { join: each + 1, crash: each, late: each },
      { join: each + 1, late: each, fail: 1, retry: 1 },
      { join: each + 1, duplicate: each, cancel: 1 },
      { join: 2, crash: 1, duplicate: 1, late: 1 },
      { join: 2, duplicate: 1, fail: 1, retry: 1, cancel: 1 },
    ]),
});

function suffer(state: InputState, emit: Emit<InputState>): void {
  const isLeft = isForgotten(state);
  if (isActive(state) && !state.isLate && isLeft) emit('its due time passes', makeLate);
  if (isActive(state) && !state.isLate && !isLeft) emit('its due time passes although a job waits', makeLate, 'late');
  if (isActive(state) && state.isLate) emit('a rescue', raise);
  if (state.jobs > 0) emit('the job is delivered twice', addJob, 'duplicate');
  if (isActive(state))
    emit('a cancel', (after) => Object.assign(after, { status: 'cancelled', owner: null }), 'cancel');
  if (state.status === 'failed') emit('a retry', reopen, 'retry');
}

function makeLate(after: InputState): void {
  after.isLate = true;
  if (after.owner !== null) after.owner = 'over';
}

function raise(after: InputState): void {
  Object.assign(after, {
    generation: after.generation + 1,
    raised: after.raised + 1,
    isLate: false,
    jobs: after.jobs + 1,
  });
}

function reopen(after: InputState): void {
  raise(after);
  Object.assign(after, { status: after.inputsAtStart === null ? 'queued' : 'active', owner: null });
}

type Speaking = { caller: Caller; index: number; guards: InputGuards; emit: Emit<InputState> };

/** Models a caller who steers: it resolves the turn and writes at once, under the lock of the conversation. */
function speak({ caller, index, guards, emit }: Speaking): void {
  const name = `caller ${index + 1}`;
  const see = (after: InputState) => {
    (after.callers[index] as Caller).saw = isActive(after) ? 'active' : 'ended';
  };
  const write = (after: InputState) => {
    const one = after.callers[index] as Caller;
    if (one.saw === 'active' && joinTurn(after, guards)) one.saw = null;
    else make(after, one);
  };
  if (caller.saw !== null) emit(`${name} writes its decision`, write);
  else if (guards.joinIsLocked && guards.joinNeedsActiveTurn)
    emit(
      `${name} steers`,
      (after) => {
        see(after);
        write(after);
      },
      'join',
    );
  else emit(`${name} looks for the active turn`, see, 'join');
}

/** Creates a turn. A second turn beside another steer breaks the promise. */
function make(after: InputState, caller: Caller): void {
  const others = after.callers.filter((other) => other !== caller && other.saw === 'ended');
  if (others.length > 0) after.broken ??= 'two callers created two concurrent turns';
  after.made += 1;
  caller.saw = null;
}

type OfRun = { slot: number; guards: InputGuards; may: MayRun<InputState> };

function moveRun(state: InputState, run: InputRun, { slot, guards, may }: OfRun): void {
  if (run.at !== 'idle') may('dies', (own, after) => die(after, own, slot), 'crash');
  switch (run.at) {
    case 'idle':
      if (state.jobs > 0) may('takes a job', (own, after) => takeJob(after, own, { slot, guards }));
      break;
    case 'loaded':
      may('begins', (own, after) => begin(after, own, { slot, guards }));
      break;
    case 'asking':
      if (state.owner === null) may('has its first heartbeat', (own, after) => beat(after, own, slot));
      may('has its answer', (own, after) => Object.assign(own, { at: 'ending', seen: after.inputs }));
      may('fails', (own, after) => fail(after, own, slot), 'fail');
      break;
    case 'ending':
      may('ends the turn', (own, after) => commitEnd(after, own, guards));
      break;
    case 'refused':
      may('saves its answer as an intermediate round', (own, after) => saveSuperseded(after, own, guards));
  }
}

function takeJob(after: InputState, run: InputRun, { slot, guards }: { slot: number; guards: InputGuards }): void {
  after.jobs -= 1;
  if (!isActive(after) || typeof after.owner === 'number') return;
  const { step, generation, inputs: view, raised } = after;
  Object.assign(run, { at: 'loaded', step, generation, view });
  const isUncontended = raised === 0 && generation === 0 && after.owner === null && !after.isLate;
  if (after.status === 'active' && isUncontended) run.at = 'asking';
  else if (guards.beginTakesInputs || after.status === 'active') begin(after, run, { slot, guards });
}

/** Models `lease.ts`: a run without a lease takes it while the step has the generation that the run loaded. */
function beat(after: InputState, run: InputRun, slot: number): void {
  const isOwn = after.status === 'active' && run.step === after.step && run.generation === after.generation;
  if (isOwn) Object.assign(after, { owner: slot, isLate: false });
  else {
    if (after.step === run.step && after.raised === 0 && after.status === 'active')
      after.broken ??= 'a run lost its step because of a join';
    Object.assign(run, IDLE);
  }
}

function die(after: InputState, run: InputRun, slot: number): void {
  if (after.owner === slot) after.owner = 'over';
  Object.assign(run, IDLE);
}
