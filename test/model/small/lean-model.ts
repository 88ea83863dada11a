import type { Emit } from '../explore/model.ts';
import { type Kept, plainModel } from '../explore/plain-model.ts';
import type { Left } from '../fault.ts';
import { CHECKPOINT, type Table, TURNS, type Up } from '../guards/guard.ts';
import { type MayRun, moveRuns } from '../shared/move-runs.ts';
import { type Suite, suiteOf, withFaults } from '../suite.ts';

const noDelivery = 'an event that an endpoint subscribes to was committed without its delivery';
const dropped = 'a reply was dropped although its round was due';
const silent = 'a turn does not require action although all its open calls wait';

/** The guards that make a run with old values write the rows of an endpoint or a waiting call: R15, R16. */
const leanGuards = {
  leanReplyChecksEndpoints: {
    ...{ rule: 'R16', file: `${TURNS}/commits/write-reply.ts` },
    code: 'from input where isAtRound and nothingSubscribes',
    shared: {
      file: `${CHECKPOINT}/sql/deliveries.ts`,
      code: 'nothingSubscribes: RawBuilder<boolean> = sqlnot hasEndpoints(sqlwork.project)',
    },
    without: 'a run that read no endpoint commits a reply in the lean form although an endpoint was enabled',
    ...{ faults: { enable: 1 }, caught: noDelivery },
  },
  leanEndChecksEndpoints: {
    ...{ rule: 'R16', file: `${TURNS}/commits/write-ending.ts` },
    code: 'noOtherWaits join work on mayEnd and nothingSubscribes for no key update of work',
    without: 'a run that read no endpoint ends its turn in the lean form although an endpoint was enabled',
    ...{ faults: { enable: 1 }, caught: noDelivery },
  },
  refusedReplyIsWrittenInFull: {
    ...{ rule: 'R16', file: `${TURNS}/save-round.ts` },
    code: 'savedBy(lean ?? (await writeReply(db, rowOfRound(round)))[0])',
    without: 'a refusal of the lean form counts as a refusal of the reply',
    ...{ faults: { enable: 1 }, caught: dropped },
  },
  refusedEndIsWrittenInFull: {
    ...{ rule: 'R16', file: `${TURNS}/end.ts` },
    code: 'if (wakeups) return wakeups; return isTrx(db) ? endTurn(db, ending) : db.transaction().execute((trx) => endTurn(trx, ending))',
    without: 'a refusal of the lean form counts as a refusal of the end',
    ...{ faults: { enable: 1 }, caught: dropped },
  },
  waitingCallsAreCounted: {
    ...{ rule: 'R15', file: `${TURNS}/save-round.ts` },
    code: 'calls.every(( waitsFor, result ) => waitsFor === null && !result)',
    without: 'a reply with a running and a waiting call is committed in the lean form',
    ...{ faults: {}, caught: silent },
  },
  leanBatchChecksWaiting: {
    ...{ rule: 'R15', file: `${TURNS}/commits/advance-batch.ts`, code: 'isLean ? sqland waiting_calls = 0 : sql' },
    without: 'a run that read no waiting call answers a batch in the lean form although a call now waits',
    ...{ faults: { failover: 1 }, caught: silent },
  },
} satisfies Table;

type LeanGuards = Up<typeof leanGuards>;

/**
 * A turn. Its first reply calls a tool, and perhaps a second tool that waits for a person. Its second reply is the
 * answer.
 */
type LeanTurn = {
  step: 'r1' | 'b1' | 'r2' | 'ended';
  /** The open calls: a running call and a waiting call. */
  hasRunning: boolean;
  hasWaiting: boolean;
  /** `waiting_calls` counts the waiting call. */
  isCounted: boolean;
  /** Its status is `requires_action`. */
  needsAction: boolean;
};

/** A run and the values that it read when it loaded its turn. */
type LeanRun = {
  at: 'idle' | 'replying' | 'answering' | 'ending';
  /** Whether a call of its reply waits. */
  isMixed: boolean;
  seesEndpoint: boolean;
  seesWaiting: boolean;
  isRefused: boolean;
};

type LeanState = Kept & {
  turn: LeanTurn;
  isEnabled: boolean;
  runs: LeanRun[];
};

type Write = { state: LeanState; run: LeanRun; guards: LeanGuards };

const IDLE: LeanRun = { at: 'idle', isMixed: false, seesEndpoint: false, seesWaiting: false, isRefused: false };
const NO_CALLS = { hasRunning: false, hasWaiting: false, isCounted: false, needsAction: false };

/** Models the lean and the full forms of a reply, a batch and an end. A run may have old values (R15, R16). */
export const leanSuite: Suite = suiteOf({
  promise: 'the lean and the full form keep each delivery and each waiting call',
  guards: leanGuards,
  modelOf: (guards: LeanGuards, { faults }: { faults: Left }) =>
    plainModel<LeanState>({
      first: { turn: { step: 'r1', ...NO_CALLS }, isEnabled: false, runs: [{ ...IDLE }, { ...IDLE }] },
      faults,
      movesOf: (state, emit) => {
        changeOutside(state, emit);
        moveRuns(state, emit, ({ at }, may) => (at === 'idle' ? load(state, may) : commit(COMMITS[at], guards, may)));
      },
      brokenIn: ({ turn: { step, hasRunning, hasWaiting, needsAction } }) => {
        const isSilent = step === 'b1' && hasWaiting && !hasRunning && !needsAction;
        return isSilent ? 'a turn does not require action although all its open calls wait' : null;
      },
      isDone: ({ turn, runs }) => turn.step === 'ended' && runs.every(({ at }) => at === 'idle'),
    }),
  scenes: ({ each }) =>
    withFaults('lean', [{ crash: each, lostAck: each, enable: each + 1, disable: each + 1, failover: each }]),
});

/** Changes the turn from outside. A person answers after the turn requires an action. */
function changeOutside({ turn, isEnabled }: LeanState, emit: Emit<LeanState>): void {
  const become = (isNow: boolean) => (after: LeanState) => void Object.assign(after, { isEnabled: isNow });
  if (isEnabled) emit('the endpoint is disabled', become(false), 'disable');
  else emit('the endpoint is enabled', become(true), 'enable');
  const goBack = (after: LeanState) => void Object.assign(after.turn, { step: 'r1', ...NO_CALLS });
  if (turn.step === 'b1') emit('Postgres loses the commit of the reply', goBack, 'failover');
  const answer = (after: LeanState) => void Object.assign(after.turn, { step: 'r2', ...NO_CALLS });
  if (turn.needsAction) emit('a person answers', answer);
}

const AT = { r1: 'replying', b1: 'answering', r2: 'ending' } as const;

function load({ turn, isEnabled }: LeanState, may: MayRun<LeanState>): void {
  if (turn.step === 'ended' || (turn.step === 'b1' && !turn.hasRunning)) return;
  const knows = { at: AT[turn.step], seesEndpoint: isEnabled, seesWaiting: turn.hasWaiting, isRefused: false };
  for (const isMixed of turn.step === 'r1' ? [false, true] : [false]) {
    may(`loads the turn${isMixed ? ', and one call of its reply will wait' : ''}`, (run) =>
      Object.assign(run, knows, { isMixed }),
    );
  }
}

const COMMITS = { replying: saveReply, answering: saveAnswer, ending: endTurn };

/** Commits a write, which then ends or writes the full form. The run repeats a write if its answer is lost. */
function commit(write: (by: Write) => Next, guards: LeanGuards, may: MayRun<LeanState>): void {
  may('commits', (run, state) => {
    Object.assign(run, write({ state, run, guards }) === 'over' ? IDLE : { isRefused: true });
  });
  may('commits, the answer is lost', (run, state) => void write({ state, run, guards }), 'lostAck');
  may('dies', (run) => Object.assign(run, IDLE), 'crash');
}

type Next = 'over' | 'in-full';

/** Models `save-round.ts`: the lean form counts no waiting call. */
function saveReply({ state, run, guards }: Write): Next {
  const { turn } = state;
  const isLean = !run.isRefused && !run.seesEndpoint && !(run.isMixed && guards.waitingCallsAreCounted);
  const isAtRound = turn.step === 'r1';
  const isRefused = !isAtRound || (state.isEnabled && guards.leanReplyChecksEndpoints);
  if (isLean && isRefused) return refuse(state, isAtRound, guards.refusedReplyIsWrittenInFull);
  if (!isAtRound) return 'over';
  const isCounted = run.isMixed && !isLean;
  Object.assign(turn, { step: 'b1', hasRunning: true, hasWaiting: run.isMixed, isCounted, needsAction: false });
  appendEvent(state, isLean);
  return 'over';
}

/** Models `save-results.ts`: a result that the lean form refuses is dropped. A later run sees the waiting call. */
function saveAnswer({ state, run, guards }: Write): Next {
  const { turn } = state;
  const isLean = !run.seesWaiting;
  const isRefused = isLean && turn.isCounted && guards.leanBatchChecksWaiting;
  if (turn.step !== 'b1' || !turn.hasRunning || isRefused) return 'over';
  turn.hasRunning = false;
  if (!turn.hasWaiting) Object.assign(turn, { step: 'r2', ...NO_CALLS });
  else if (!isLean && turn.isCounted) turn.needsAction = true;
  return 'over';
}

/** Models `end.ts`: the transaction writes an end that the lean form refuses. */
function endTurn({ state, run, guards }: Write): Next {
  const isLean = !run.isRefused && !run.seesEndpoint;
  const isAtRound = state.turn.step === 'r2';
  const isRefused = !isAtRound || (state.isEnabled && guards.leanEndChecksEndpoints);
  if (isLean && isRefused) return refuse(state, isAtRound, guards.refusedEndIsWrittenInFull);
  if (!isAtRound) return 'over';
  state.turn.step = 'ended';
  appendEvent(state, isLean);
  return 'over';
}

function refuse(state: LeanState, isAtRound: boolean, isWrittenInFull: boolean): Next {
  if (isWrittenInFull) return 'in-full';
  if (isAtRound) state.broken ??= 'a reply was dropped although its round was due';
  return 'over';
}

/** Appends an event. The full form also creates the delivery of each enabled endpoint in the same commit. */
function appendEvent(state: LeanState, isLean: boolean): void {
  if (isLean && state.isEnabled)
    state.broken ??= 'an event that an endpoint subscribes to was committed without its delivery';
}
