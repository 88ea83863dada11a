import type { Model } from '../explore/model.ts';
import { type EmitPlain, type Left, plainModel } from '../explore/plain-model.ts';
import type { LeanFault } from './lean-fault.ts';
import type { LeanGuards } from './lean-guards.ts';

/** A turn: its first reply calls a tool, and perhaps another that waits for a person. Its second reply is the answer. */
type LeanTurn = {
  step: 'r1' | 'b1' | 'r2' | 'ended';
  /** The calls that are open: one that runs, one that waits. */
  hasRunning: boolean;
  hasWaiting: boolean;
  /** `waiting_calls` counts the one that waits. */
  isCounted: boolean;
  /** Its status is `requires_action`. */
  needsAction: boolean;
};

/** A run, and its beliefs: they are true when it loads its turn. */
type LeanRun = {
  at: 'idle' | 'replying' | 'answering' | 'ending';
  /** One of the calls of its reply waits. */
  isMixed: boolean;
  seesEndpoint: boolean;
  seesWaiting: boolean;
  /** The lean form was refused. */
  isRefused: boolean;
};

type LeanState = {
  turn: LeanTurn;
  isEnabled: boolean;
  runs: LeanRun[];
  left: Left<LeanFault>;
  broken: string | null;
};

type Emit = EmitPlain<LeanState, LeanFault>;
type Write = { state: LeanState; run: LeanRun; guards: LeanGuards };

const IDLE: LeanRun = { at: 'idle', isMixed: false, seesEndpoint: false, seesWaiting: false, isRefused: false };
const NO_CALLS = { hasRunning: false, hasWaiting: false, isCounted: false, needsAction: false };

/** The model of the lean and the full forms of a reply, a batch and an end. The beliefs of a run may be old (R15, R16). */
export function leanModel({ guards, left }: { guards: LeanGuards; left: Left<LeanFault> }): Model<LeanState> {
  return plainModel<LeanState, LeanFault>({
    first: { turn: { step: 'r1', ...NO_CALLS }, isEnabled: false, runs: [IDLE, IDLE], left, broken: null },
    movesOf: (state, emit) => {
      changeOutside(state, emit);
      state.runs.forEach((run, slot) => {
        if (run.at === 'idle') load(state, slot, emit);
        else commit(slot, guards, emit);
      });
    },
    brokenIn: ({ turn: { step, hasRunning, hasWaiting, needsAction } }) => {
      const isSilent = step === 'b1' && hasWaiting && !hasRunning && !needsAction;
      return isSilent ? 'a turn does not require action although each of its open calls waits' : null;
    },
    isDone: ({ turn, runs }) => turn.step === 'ended' && runs.every(({ at }) => at === 'idle'),
  });
}

/** A person answers once the turn requires it. */
function changeOutside({ turn, isEnabled }: LeanState, emit: Emit): void {
  const become = (isNow: boolean) => (after: LeanState) => void Object.assign(after, { isEnabled: isNow });
  if (isEnabled) emit('the endpoint is disabled', become(false), 'disable');
  else emit('the endpoint is enabled', become(true), 'enable');
  const goBack = (after: LeanState) => void Object.assign(after.turn, { step: 'r1', ...NO_CALLS });
  if (turn.step === 'b1') emit('Postgres loses the commit of the reply', goBack, 'failover');
  const answer = (after: LeanState) => void Object.assign(after.turn, { step: 'r2', ...NO_CALLS });
  if (turn.needsAction) emit('a person answers', answer);
}

const AT = { r1: 'replying', b1: 'answering', r2: 'ending' } as const;

function load({ turn, isEnabled }: LeanState, slot: number, emit: Emit): void {
  if (turn.step === 'ended' || (turn.step === 'b1' && !turn.hasRunning)) return;
  const knows = { at: AT[turn.step], seesEndpoint: isEnabled, seesWaiting: turn.hasWaiting, isRefused: false };
  for (const isMixed of turn.step === 'r1' ? [false, true] : [false]) {
    emit(`w${slot + 1} loads the turn${isMixed ? ', and one call of its reply will wait' : ''}`, (after) => {
      after.runs[slot] = { ...knows, isMixed };
    });
  }
}

const COMMITS = { replying: saveReply, answering: saveAnswer, ending: endTurn };

/** A verb is over, or writes the full form next. A verb whose answer is lost is called again. */
function commit(slot: number, guards: LeanGuards, emit: Emit): void {
  const write = (isAnswered: boolean) => (after: LeanState) => {
    const run = after.runs[slot];
    if (!run || run.at === 'idle') return;
    const next = COMMITS[run.at]({ state: after, run, guards });
    if (isAnswered) after.runs[slot] = next === 'over' ? IDLE : { ...run, isRefused: true };
  };
  emit(`w${slot + 1} commits`, write(true));
  emit(`w${slot + 1} commits, the answer is lost`, write(false), 'lostAck');
  emit(
    `w${slot + 1} dies`,
    (after) => {
      after.runs[slot] = IDLE;
    },
    'crash',
  );
}

type Next = 'over' | 'in-full';

/** `save-round.ts`: the lean form counts no call that waits. */
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

/** `save-results.ts`: a result that the lean form refuses is dropped. A later run sees the call that waits. */
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

/** `end.ts`: the transaction writes an end that the lean form refuses. */
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
  if (isAtRound) state.broken ??= 'a reply was dropped although its turn was at its round';
  return 'over';
}

/** The full form creates the delivery of each endpoint that is enabled in the same commit. */
function appendEvent(state: LeanState, isLean: boolean): void {
  if (isLean && state.isEnabled)
    state.broken ??= 'an event that an endpoint subscribes to was committed without its delivery';
}
