import type { Emit } from '../explore/model.ts';
import { at } from '../explore/plain-model.ts';
import type { Left } from '../fault.ts';
import { type May, type RoundRules, roundModel } from '../shared/round-moves.ts';
import { isOnStep } from '../shared/round-writes.ts';
import { named, type Suite, suiteOf } from '../suite.ts';
import { type BackgroundGuards, backgroundGuards } from './background-guards.ts';
import { type Background, type BackgroundState, firstBackground, type KeptResponse } from './background-state.ts';
import { sweepResponses } from './background-sweep.ts';
import {
  changeModel,
  failTurn,
  follow,
  followCommitted,
  postponeFailed,
  postponePoll,
  postResponse,
  saveReply,
  saveResponse,
  type Write,
} from './background-writes.ts';

const MOST_TRIES = 2;
const MODELS = 2;

export type BackgroundSetting = { rounds?: number; sweeps?: number; faults: Left };

/** The model of the rounds that a provider answers in the background (R40, R41). */
export const backgroundSuite: Suite = suiteOf({
  promise: 'a round has one response, which is counted once and deleted at its provider',
  guards: backgroundGuards,
  modelOf: (guards: BackgroundGuards, { rounds = 1, sweeps = 1, faults }: BackgroundSetting) => ({
    ...roundModel({ ...rules, first: firstBackground(rounds, sweeps) }, guards, faults),
    isDone,
  }),
  scenes: ({ each }) =>
    named('background', [
      { faults: { crash: each, stall: each } },
      { faults: { crash: each, duplicate: each, lostAck: each } },
      { faults: { stall: each, duplicate: each } },
      { faults: { stall: each, lostAck: each } },
      { faults: { later: 1, duplicate: each, cancel: 1 } },
      { faults: { later: 2 } },
      { faults: { later: 1, lose: 1 } },
      { faults: { late: 1, stall: each } },
      { faults: { fail: 1, stall: each } },
      { faults: { join: 1, crash: each, flush: 1 } },
      { rounds: 2, faults: { stall: each } },
      { sweeps: 2, faults: { crash: each, cancel: 1 } },
      { sweeps: 2, faults: { late: 1 } },
    ]),
});

const rules: Omit<RoundRules<BackgroundState, BackgroundGuards>, 'first'> = {
  load: ({ state: { turn }, run }, as) => {
    const { model, attempts, inputs, background: seen } = turn;
    Object.assign(run, { model, attempts, inputs, seen: copyOf(seen) });
    if (as === 'cached') Object.assign(run, { model: 1, attempts: 0, inputs: 0, seen: null });
  },
  leased: ({ state, run, guards }) => {
    if (guards.leaseReturnsBackground) run.seen = copyOf(state.turn.background);
  },
  isStale: ({ state, run }) => run.model !== state.turn.model,
  refusesStale: () => true,
  hear,
  commits: {
    ...{ saving: saveReply, waiting: postponePoll, postponing: postponeFailed },
    ...{ changing: changeModel, failing: failTurn },
  },
  outside: (state, emit, guards) => {
    callTurn(state, emit);
    for (const index of state.responses.keys()) workAtProvider(state, { index, emit });
    for (const index of state.sweeps.keys()) sweepResponses({ state, index, guards, emit });
  },
};

function copyOf(background: Background | null): Background | null {
  return background && { ...background };
}

/** The turn has ended, no run is left, and no row is left. */
function isDone({ turn, runs, responses, sweeps }: BackgroundState): boolean {
  return (
    turn.status !== 'active' &&
    runs.every((run) => run.at === 'idle') &&
    sweeps.every((sweep) => sweep.at === 'idle') &&
    responses.every(({ row }) => row === 'none' || row === 'removed')
  );
}

function callTurn({ turn }: BackgroundState, emit: Emit<BackgroundState>): void {
  if (turn.status !== 'active') return;
  const end = (after: BackgroundState) =>
    Object.assign(after.turn, { status: 'failed', owner: 'none', lease: 'none', due: 'null' });
  emit('the caller cancels or deletes the turn', end, 'cancel');
  if (turn.inputs === 0) emit('an input joins', (after) => Object.assign(after.turn, { inputs: 1 }), 'join');
}

/** The provider works on a response, with or without a connection. */
function workAtProvider(
  { responses }: BackgroundState,
  { index, emit }: { index: number; emit: Emit<BackgroundState> },
): void {
  const { at: where, isOverdue, wasCommitted } = at(responses, index);
  const name = `response ${index + 1}`;
  const become = (change: Partial<KeptResponse>) => (after: BackgroundState) =>
    void Object.assign(at(after.responses, index), change);
  if (where === 'working') {
    emit(`${name} ends`, become({ at: 'ended' }));
    emit(`${name} fails temporarily`, become({ at: 'failed' }), 'later');
    emit(`${name} fails permanently`, become({ at: 'refused' }), 'fail');
  }
  if ((where === 'working' || where === 'ended') && wasCommitted && !isOverdue)
    emit(`${name} is overdue`, become({ isOverdue: true }), 'late');
  if (where === 'working' || where === 'ended') emit(`the provider loses ${name}`, become({ at: 'lost' }), 'lose');
}

type MayRound = May<BackgroundState, BackgroundGuards>;
type OneRun = BackgroundState['runs'][number];

/** Emits the moves of a run between its begin and its commit. */
function hear(run: OneRun, may: MayRound, guards: BackgroundGuards): void {
  if (run.isLost && run.phase !== 'naming') return;
  if (run.phase === 'ready' && run.knowsLease) begin(run, may, guards);
  if (run.phase === 'naming') name(may, guards);
  if (run.phase === 'following') read(may, guards);
}

/** Follows the response that the turn waits for. Only a round without a response is asked. */
function begin(run: OneRun, may: MayRound, guards: BackgroundGuards): void {
  const { seen } = run;
  const isOfRound = seen?.round === run.round || !guards.currentNeedsStep;
  const isOfModel = seen?.model === run.model || !guards.currentNeedsModel;
  if (seen && isOfRound && isOfModel && guards.resumedRunFollows) {
    may('follows the response', (by) => follow(by, seen));
    return;
  }
  may('asks the round', (by) => {
    if (mayAsk(by)) postResponse(by);
  });
  may('asks the round, and the provider fails', askInVain, 'later');
}

function askInVain(by: Write): void {
  if (mayAsk(by)) by.run.at = 'postponing';
}

/** A run whose lease has ended by the local clock renews it before it asks. */
function mayAsk(by: Write): boolean {
  const { turn } = by.state;
  const hasLive = isOnStep(by) && turn.owner === by.slot && turn.lease === 'live';
  return hasLive || !by.guards.askNeedsLiveLease;
}

function name(may: MayRound, guards: BackgroundGuards): void {
  may('commits the id', (by) => {
    saveResponse(by);
    followCommitted(by);
  });
  may('commits the id, the answer is lost', saveResponse, 'lostAck');
  if (!guards.textNeedsId)
    may('publishes text', (by) => follow(by, { ...by.run, round: by.run.round, response: by.run.own }));
}

/** Reads the response until it ends or is lost. An overdue response is cancelled and read, if possible. */
function read(may: MayRound, guards: BackgroundGuards): void {
  may('reads the response', (by) => {
    const { run } = by;
    const response = followedBy(by);
    if (response.at === 'working' && !response.isOverdue) run.at = 'waiting';
    else if (response.at === 'ended' && (!response.isOverdue || guards.cancelledIsRead)) run.at = 'saving';
    else fail(by, response.at !== 'refused');
    if (response.at === 'working' && response.isOverdue) response.at = 'cancelled';
  });
  may('cannot reach the provider', (by) => {
    if (!followedBy(by).isOverdue) return;
    by.run.isCutOff = true;
    fail(by, true);
  });
}

function followedBy({ state, run }: Write): KeptResponse {
  return at(state.responses, run.follows?.response ?? -1);
}

function fail({ run }: Write, mayAskAgain: boolean): void {
  if (mayAskAgain && run.attempts + 1 < MOST_TRIES) run.at = 'postponing';
  else run.at = run.model < MODELS ? 'changing' : 'failing';
}
