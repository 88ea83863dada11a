import type { Model } from '../explore/model.ts';
import { type EmitPlain, type Left, plainModel } from '../explore/plain-model.ts';
import type { RerunGuards } from './rerun-guards.ts';
import { firstRerunState, type RerunCall, type RerunFault, type RerunState } from './rerun-state.ts';

type Emit = EmitPlain<RerunState, RerunFault>;

/** The model of a rerun whose calls are answered from the record of another turn (R38). */
export function rerunModel({ guards, left }: { guards: RerunGuards; left: Left<RerunFault> }): Model<RerunState> {
  return plainModel({
    first: firstRerunState(left),
    movesOf: (state, emit) => {
      workRerun(state, guards, emit);
      changeOrigin(state, guards, emit);
    },
    brokenIn: ({ calls }) => {
      if (calls?.known === 'ran') return 'a call ran that has a recorded result';
      return calls?.unknown === 'ran' ? 'a call that may be made once was made without a record' : null;
    },
    isDone: ({ step }) => step === 'ended',
  });
}

/** The turn that is run again may be retried, where it had failed, or deleted. */
function changeOrigin({ step }: RerunState, { recordOutlivesItsTurn }: RerunGuards, emit: Emit): void {
  if (step === 'ended') return;
  emit('the turn is retried, and makes another call', (after) => Object.assign(after, { isRetried: true }), 'retry');
  emit('the turn is deleted', (after) => Object.assign(after, { hasRecord: recordOutlivesItsTurn }), 'remove');
}

function workRerun(state: RerunState, guards: RerunGuards, emit: Emit): void {
  if (state.step === 'r1') emit('the reply is saved', (after) => saveReply(after, guards));
  if (state.step === 'b1') workBatch(state, emit);
  if (state.step === 'r2') emit('the rerun ends', (after) => Object.assign(after, { step: 'ended' }));
}

/** `save-round.ts` */
function saveReply(state: RerunState, guards: RerunGuards): void {
  const { hasRecord, isRetried } = state;
  if (isRetried && !guards.recordEndsWithTheStart) state.broken ??= 'a rerun took a result that came after its start';
  const known = hasRecord && guards.resultsAreSavedWithTheRound ? 'recorded' : 'open';
  const unknown = guards.unrecordedIsDeniedWithTheRound ? 'denied' : 'open';
  state.calls = { known, unknown };
  const isComplete = known !== 'open' && unknown !== 'open';
  state.step = isComplete && guards.wholeBatchMovesOn ? 'r2' : 'b1';
}

/** The run that saved the reply knows what to do with its calls; another one makes what it finds open. */
function workBatch({ calls, hasRecord }: RerunState, emit: Emit): void {
  if (calls?.known === 'open')
    emit('the run answers the recorded call', (after) => answer(after, { known: hasRecord ? 'recorded' : 'ran' }));
  if (calls?.unknown === 'open') emit('the run denies the other call', (after) => answer(after, { unknown: 'denied' }));
  if (calls?.known === 'open')
    emit('another run makes the recorded call', (after) => answer(after, { known: 'ran' }), 'job');
  if (calls?.unknown === 'open')
    emit('another run makes the other call', (after) => answer(after, { unknown: 'ran' }), 'job');
}

function answer(state: RerunState, answered: Partial<Record<'known' | 'unknown', RerunCall>>): void {
  if (!state.calls) return;
  Object.assign(state.calls, answered);
  if (!Object.values(state.calls).includes('open')) state.step = 'r2';
}
