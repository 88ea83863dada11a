import type { Emit } from '../explore/model.ts';
import { type Kept, plainModel } from '../explore/plain-model.ts';
import type { Left } from '../fault.ts';
import { CHECKPOINT, inReply, type Table, TURN, TURNS, type Up } from '../guards/guard.ts';
import { type Suite, suiteOf, withFaults } from '../suite.ts';

const commit = `${TURNS}/save-round.ts`;
const ran = 'a run made a call with a recorded result';

/** The guards that keep the calls of a rerun from being made twice: R38. */
const rerunGuards = {
  resultsAreSavedWithTheRound: {
    ...{ rule: 'R38', file: commit, code: 'columnsOfRound( ...round, calls )' },
    shared: inReply('calls as (insertCalls(sql`target`, sql`"roundNumber"`))'),
    without: 'calls are saved as open and answered from the record later, so another worker runs them',
    ...{ faults: { job: 1 }, caught: ran },
  },
  unrecordedIsDeniedWithTheRound: {
    ...{ rule: 'R38', file: `${TURN}/forks/recorded-results.ts` },
    code: "call.effect === 'at_most_once' ? { result: NOT_RECORDED",
    without: 'the run that would make an at_most_once call decides whether to deny it',
    ...{ faults: { job: 1 }, caught: 'an at_most_once call was made without a record' },
  },
  wholeBatchMovesOn: {
    ...{ rule: 'R38', file: commit, code: 'const open = calls.filter((call) => !call.result);' },
    shared: inReply(`"openCalls" = 0 as is_complete`),
    without: 'a batch is due although all its calls are answered, and no call can complete it',
    ...{ faults: {}, caught: 'stuck' },
  },
  recordEndsWithTheStart: {
    ...{ rule: 'R38', file: `${TURNS}/reruns/recorded-results.ts` },
    code: 'completed_at <= (select created_at from turns',
    without: 'a rerun uses results that a retry of the turn added later',
    ...{ faults: { retry: 1 }, caught: 'a rerun used a result that was saved after its start' },
  },
  recordOutlivesItsTurn: {
    ...{ rule: 'R38', file: `${CHECKPOINT}/deletion/erase-rounds.ts`, code: 'round > last and not reused' },
    without: 'a delete of the turn deletes the recorded results of a rerun',
    ...{ faults: { remove: 1 }, caught: ran },
  },
} satisfies Table;

type RerunGuards = Up<typeof rerunGuards>;

type RerunCall = 'open' | 'recorded' | 'denied' | 'ran';

/** A rerun with a reply that asks for a recorded call, and for an unrecorded `at_most_once` call. */
type RerunState = Kept & {
  step: 'r1' | 'b1' | 'r2' | 'ended';
  calls: { known: RerunCall; unknown: RerunCall } | null;
  hasRecord: boolean;
  isRetried: boolean;
};

/** The model of a rerun, with calls that the record of another turn answers (R38). */
export const rerunSuite: Suite = suiteOf({
  promise: 'a rerun makes no recorded call, and no at_most_once call',
  guards: rerunGuards,
  modelOf: (guards: RerunGuards, { faults }: { faults: Left }) =>
    plainModel<RerunState>({
      first: { step: 'r1', calls: null, hasRecord: true, isRetried: false },
      faults,
      movesOf: (state, emit) => {
        workRerun(state, guards, emit);
        changeOrigin(state, guards, emit);
      },
      brokenIn: ({ calls }) => {
        if (calls?.known === 'ran') return 'a run made a call with a recorded result';
        return calls?.unknown === 'ran' ? 'an at_most_once call was made without a record' : null;
      },
      isDone: ({ step }) => step === 'ended',
    }),
  scenes: ({ each }) => withFaults('reruns', [{ job: each + 1, retry: each, remove: each }]),
});

/** Retries the original turn if it had failed, or deletes it. */
function changeOrigin({ step }: RerunState, { recordOutlivesItsTurn }: RerunGuards, emit: Emit<RerunState>): void {
  if (step === 'ended') return;
  emit('the turn is retried, and makes another call', (after) => Object.assign(after, { isRetried: true }), 'retry');
  emit('the turn is deleted', (after) => Object.assign(after, { hasRecord: recordOutlivesItsTurn }), 'remove');
}

function workRerun(state: RerunState, guards: RerunGuards, emit: Emit<RerunState>): void {
  if (state.step === 'r1') emit('the reply is saved', (after) => saveReply(after, guards));
  if (state.step === 'b1') workBatch(state, emit);
  if (state.step === 'r2') emit('the rerun ends', (after) => Object.assign(after, { step: 'ended' }));
}

/** Models `save-round.ts`. */
function saveReply(state: RerunState, guards: RerunGuards): void {
  const { hasRecord, isRetried } = state;
  if (isRetried && !guards.recordEndsWithTheStart)
    state.broken ??= 'a rerun used a result that was saved after its start';
  const known = hasRecord && guards.resultsAreSavedWithTheRound ? 'recorded' : 'open';
  const unknown = guards.unrecordedIsDeniedWithTheRound ? 'denied' : 'open';
  state.calls = { known, unknown };
  const isComplete = known !== 'open' && unknown !== 'open';
  state.step = isComplete && guards.wholeBatchMovesOn ? 'r2' : 'b1';
}

/** Makes the calls. The run that saved the reply knows its calls, another run makes the open calls. */
function workBatch({ calls, hasRecord }: RerunState, emit: Emit<RerunState>): void {
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
