import type { EmitPlain } from '../explore/plain-model.ts';
import type { InputGuards } from './input-guards.ts';
import { type Caller, type InputFault, type InputRun, type InputState, idleRun, isActive } from './input-state.ts';
import { begin, commitEnd, fail, joinTurn, saveSurpassed } from './input-writes.ts';

type Emit = EmitPlain<InputState, InputFault>;
type EmitRun = (verb: string, change: (after: InputState, run: InputRun) => void, fault?: InputFault) => void;

/** Emits all that may happen next to a turn that inputs join. */
export function movesOfInputs(state: InputState, guards: InputGuards, emit: Emit): void {
  suffer(state, emit);
  for (const [index, caller] of state.callers.entries()) speak({ caller, index, guards, emit });
  state.runs.forEach((run, slot) => {
    const emitRun: EmitRun = (verb, change, fault) =>
      emit(`w${slot + 1} ${verb}`, (after) => change(after, runAt(after, slot)), fault);
    moveRun(state, run, { slot, guards, emitRun });
  });
}

function suffer(state: InputState, emit: Emit): void {
  const isForgotten = state.jobs === 0 && state.runs.every(({ at }) => at === 'idle');
  if (isActive(state) && !state.isLate && isForgotten) emit('its time passes', makeLate);
  if (isActive(state) && !state.isLate && !isForgotten)
    emit('its time passes, though a job is there', makeLate, 'late');
  if (isActive(state) && state.isLate) emit('a rescue', raise);
  if (state.jobs > 0)
    emit('the job comes twice', (after) => Object.assign(after, { jobs: after.jobs + 1 }), 'duplicate');
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
  Object.assign(after, { status: after.begunWith === null ? 'queued' : 'active', owner: null });
}

type Speaking = { caller: Caller; index: number; guards: InputGuards; emit: Emit };

/** A caller steers: under the lock of the conversation it resolves the turn and writes at once. */
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
  if (caller.saw !== null) emit(`${name} writes what it has resolved`, write);
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

/** A second turn that is made side by side with another steer is one too many. */
function make(after: InputState, caller: Caller): void {
  const others = after.callers.filter((other) => other !== caller && other.saw === 'ended');
  if (others.length > 0) after.broken ??= 'two callers made a turn each, side by side';
  after.made += 1;
  caller.saw = null;
}

type OfRun = { slot: number; guards: InputGuards; emitRun: EmitRun };

function moveRun(state: InputState, run: InputRun, { slot, guards, emitRun }: OfRun): void {
  if (run.at !== 'idle') emitRun('dies', (after, at) => die(after, at, slot), 'crash');
  switch (run.at) {
    case 'idle':
      if (state.jobs > 0) emitRun('takes a job', (after, at) => takeJob(after, at, { slot, guards }));
      break;
    case 'loaded':
      emitRun('begins', (after, at) => begin(after, at, { slot, guards }));
      break;
    case 'asking':
      if (state.owner === null) emitRun('has its first heartbeat', (after, at) => beat(after, at, slot));
      emitRun('has its answer', (after, at) => Object.assign(at, { at: 'ending', seen: after.inputs }));
      emitRun('fails', (after, at) => fail(after, at, slot), 'fail');
      break;
    case 'ending':
      emitRun('ends the turn', (after, at) => commitEnd(after, at, guards));
      break;
    case 'refused':
      emitRun('saves its answer in the middle', (after, at) => saveSurpassed(after, at, guards));
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

/** `lease.ts`: a run that started without a lease takes it, while the step is of the generation that it loaded. */
function beat(after: InputState, run: InputRun, slot: number): void {
  const isOwn = after.status === 'active' && run.step === after.step && run.generation === after.generation;
  if (isOwn) Object.assign(after, { owner: slot, isLate: false });
  else {
    if (after.step === run.step && after.raised === 0 && after.status === 'active')
      after.broken ??= 'a run lost its step to a join';
    Object.assign(run, idleRun());
  }
}

function die(after: InputState, run: InputRun, slot: number): void {
  if (after.owner === slot) after.owner = 'over';
  Object.assign(run, idleRun());
}

function runAt({ runs }: InputState, slot: number): InputRun {
  const run = runs[slot];
  if (!run) throw new Error(`There is no worker ${slot}.`);
  return run;
}
