import { at } from '../explore/plain-model.ts';
import { type By, endRound, failRound, isOnStep, mayGiveUp, postpone } from '../shared/round-writes.ts';
import type { BackgroundGuards } from './background-guards.ts';
import { type Background, type BackgroundState, currentOf, type KeptResponse } from './background-state.ts';

export type Write = By<BackgroundState, BackgroundGuards>;

/** Models the request: the provider keeps a response and works on it. Its id is not known yet. */
export function postResponse({ state, run }: Write): void {
  if (run.round === state.turn.round && currentOf(state))
    state.broken ??= 'a round was asked again while it had a response';
  const { round, model, inputs } = run;
  state.responses.push({
    ...{ round, model, inputs, at: 'working', row: 'none' },
    ...{ isOverdue: false, isClosed: false, wasCommitted: false, isCounted: false, records: 0 },
  });
  Object.assign(run, { phase: 'naming', own: state.responses.length - 1 });
}

/** Models `save-response.ts`, which may be repeated. It always writes the row. */
export function saveResponse(by: Write): void {
  const { state, run, guards } = by;
  const { turn } = state;
  const mayWrite = hasLease(by) && run.model === turn.model;
  const response = at(state.responses, run.own);
  if (response.row === 'none' && (mayWrite || guards.rowIsAlwaysWritten)) response.row = 'open';
  if (response.row === 'none') state.broken ??= 'a response with a known id has no row';
  if (!mayWrite) return;
  if (response.isClosed) state.broken ??= 'a round waits for a response that was closed';
  turn.background = { round: run.round, model: run.model, response: run.own, inputs: run.inputs };
  response.wasCommitted = true;
}

function hasLease(by: Write): boolean {
  const { state, slot, guards } = by;
  const { turn } = state;
  if (!isOnStep(by)) return false;
  if (!guards.saveNeedsLease) return true;
  return turn.owner === slot && (turn.lease === 'live' || guards.saveIgnoresExpiry);
}

/** Follows the response that the commit returned, which may be of another run. A run off its step stops. */
export function followCommitted(by: Write): void {
  const { state, run } = by;
  const current = isOnStep(by) && run.model === state.turn.model ? currentOf(state) : null;
  if (current) follow(by, current);
  else Object.assign(run, { isLost: true, phase: 'over', seen: null, own: -1 });
}

/** Follows a response. A run with the lease publishes its text. */
export function follow({ state, run }: Write, background: Background): void {
  Object.assign(run, { phase: 'following', follows: { ...background }, seen: null, own: -1 });
  if (run.knowsLease && !at(state.responses, background.response).wasCommitted)
    state.broken ??= 'text was published before the id of its response was committed';
}

/** Models the commit of a reply (R5), with the mark of its response in the same transaction. The first write wins. */
export function saveReply(by: Write): void {
  const { state, run, guards } = by;
  const { turn } = state;
  const { follows } = run;
  if (!follows) return;
  const response = at(state.responses, follows.response);
  const isSettled = response.row === 'settled' || response.row === 'removed';
  if (!isOnStep(by) || run.model !== turn.model || (isSettled && guards.roundNeedsUnsettled)) return;
  if (response.round !== run.round || response.model !== run.model)
    state.broken ??= 'a round was saved from a response of another round or model';
  const sent = guards.backgroundKeepsInputs ? follows.inputs : run.inputs;
  if (sent > response.inputs) state.broken ??= 'an input was recorded as sent although no model received it';
  if (guards.roundMarksResponse && response.row === 'open') response.row = 'used';
  countUsage(state, response);
  moveOn(by, sent);
}

export function countUsage(state: BackgroundState, response: KeptResponse): void {
  response.records += 1;
  if (response.records > 1) state.broken ??= 'the usage of a response was counted twice';
}

/** Ends the turn, or makes its next round due. An input that the round has not sent needs another round (R30). */
function moveOn(by: Write, sent: number): void {
  const { state } = by;
  const { turn, queue } = state;
  if (turn.round >= turn.lastRound && turn.inputs <= sent) {
    endRound(by, 'saved');
    return;
  }
  const next = { round: turn.round + 1, attempts: 0, isRaised: false, owner: 'none', lease: 'none', due: 'far' };
  Object.assign(turn, next);
  queue.old ||= queue.now;
  queue.now = true;
}

/** Models `postpone.ts` (R5) while the response works. The next job reads it again. */
export function postponePoll(by: Write): void {
  if (!mayGiveUp(by)) return;
  postpone(by);
  if (!by.guards.pollKeepsResponse) drop(by);
}

/** Models `postpone.ts` (R5) after a failure: it drops the response that has failed, and counts an attempt. */
export function postponeFailed(by: Write): void {
  const { state, run, guards } = by;
  if (!mayGiveUp(by)) return;
  postpone(by);
  state.turn.attempts += 1;
  const response = run.follows && at(state.responses, run.follows.response);
  if (response?.isCounted) state.broken ??= 'one failure of a response was counted as two attempts';
  if (response) response.isCounted = true;
  const isNamed = state.turn.background?.response === run.follows?.response;
  if (guards.askingAgainDrops && (isNamed || !guards.dropNamesResponse)) drop(by);
}

/** Drops the response that the round waits for. The sweep closes it. */
function drop({ state, run }: Write): void {
  const dropped = currentOf(state);
  const response = dropped && at(state.responses, dropped.response);
  if (!run.isCutOff && (response?.at === 'working' || response?.at === 'ended'))
    state.broken ??= 'a round dropped a response that may still answer';
  state.turn.background = null;
}

/** Models `change-model.ts` (R24). The response of the former model stays in the column, and is not current. */
export function changeModel(by: Write): void {
  if (!mayGiveUp(by)) return;
  checkReason(by);
  postpone(by);
  Object.assign(by.state.turn, { model: by.state.turn.model + 1, attempts: 0 });
}

/** Models the end of a turn with its last model (R5). */
export function failTurn(by: Write): void {
  if (mayGiveUp(by)) checkReason(by);
  failRound(by);
}

function checkReason({ state, run }: Write): void {
  if (run.follows && at(state.responses, run.follows.response).model !== run.model)
    state.broken ??= 'a model was given up because of a response of another model';
}
