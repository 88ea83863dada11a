import type { Emit } from '../explore/model.ts';
import { at } from '../explore/plain-model.ts';
import type { AnyFault } from '../fault.ts';
import type { BatchGuards } from './batch-guards.ts';
import { findBatch, mayCreate, sendBatch } from './batch-provider.ts';
import { type BatchState, type BatchWorker, IDLE_WORKER, isAwaited, requestsWith } from './batch-state.ts';
import {
  answerBadLine,
  askBatch,
  type BatchWrite,
  claimRequests,
  collectBatch,
  confirmBatch,
  missBatch,
  refuseBatch,
  removeEmpty,
  splitBatch,
  storeAnswer,
  unclaimedRequests,
  wakeIfFree,
} from './batch-writes.ts';

/** Emits one move of a worker. `change` gets the same worker in the next state. */
type May = (verb: string, change: (by: BatchWrite) => void, fault?: AnyFault) => void;
type Move = { state: BatchState; own: BatchWorker; guards: BatchGuards; may: May };

/** Models the routine of the workers: it claims, sends, finds, polls, stores and deletes batches. */
export function workBatches(state: BatchState, emit: Emit<BatchState>, guards: BatchGuards): void {
  for (const [slot, own] of state.workers.entries()) {
    const may: May = (verb, change, fault) =>
      emit(`b${slot + 1} ${verb}`, (after) => change({ after, slot, own: at(after.workers, slot), guards }), fault);
    const move = { state, own, guards, may };
    if (own.isAsleep) may('wakes', (by) => Object.assign(by.own, { isAsleep: false }));
    else if (own.at === 'idle') begin(move);
    else {
      may('dies', leaveBatch, 'crash');
      may('sleeps, and its lease expires', (by) => Object.assign(by.own, { isAsleep: true }), 'stall');
      workOn(move);
    }
  }
}

function begin({ state, guards, may }: Move): void {
  if (unclaimedRequests(state, guards).length > 0) may('claims requests', claimRequests);
  for (const [index, { at: where, owner }] of state.batches.entries()) {
    const isHeld = owner !== -1 && !at(state.workers, owner).isAsleep;
    if (where !== 'removed' && !isHeld) may(`takes batch ${index + 1}`, (by) => takeBatch(by, index));
  }
}

/** Models `take-batches.ts` (R42), and the read of the requests. */
function takeBatch({ after, slot, own, guards }: BatchWrite, index: number): void {
  const batch = at(after.batches, index);
  batch.owner = slot;
  const requests = requestsWith(after, { row: 'waiting', batch: index });
  const awaited = requests.filter((id) => isAwaited(after, id));
  Object.assign(own, {
    at: 'took',
    batch: index,
    ask: batch.asks,
    requests: guards.readLeavesOut ? awaited : requests,
  });
  own.hasOver = own.requests.length > awaited.length;
  if (batch.at !== 'open') own.requests = batch.sent;
  else for (const id of own.requests) renderLine(after, id, guards);
}

/** Renders the line of a request with the inputs of its round (R29). */
function renderLine({ requests, turns }: BatchState, id: number, { lineKeepsInputs }: BatchGuards): void {
  const request = at(requests, id);
  request.sentInputs = lineKeepsInputs ? request.inputs : at(turns, request.turn).inputs;
}

function workOn(move: Move): void {
  const { own, may } = move;
  if (own.at === 'took') workOnRow(move);
  else if (own.at === 'committed') send(move);
  else if (own.at === 'named') may('commits the id of the batch', ending(confirmBatch));
  else if (own.at === 'refused') may('commits the refusal', ending(refuseBatch));
  else if (own.at === 'too-large') may('splits the batch', ending(splitBatch));
  else if (own.at === 'absent') may('opens the batch again', ending(missBatch));
  else if (own.at === 'collecting') may('notes that all answers are stored', ending(collectBatch));
  else if (own.at === 'erased') may('removes the row', ending(removeRow));
  else if (own.at === 'bad-line')
    may('answers the bad line', (by) => {
      answerBadLine(by);
      by.own.at = 'refused';
    });
  else read(move);
}

/** Ends the work on a batch with a commit. */
function ending(write: (by: BatchWrite) => void): (by: BatchWrite) => void {
  return (by) => {
    write(by);
    leaveBatch(by);
  };
}

/** Releases the row if the worker still has it. */
function leaveBatch({ after, slot, own }: BatchWrite): void {
  const batch = at(after.batches, own.batch);
  if (batch.owner === slot) batch.owner = -1;
  Object.assign(own, IDLE_WORKER);
}

function workOnRow(move: Move): void {
  const { state, own } = move;
  const batch = at(state.batches, own.batch);
  if (batch.at === 'open') open(move);
  else if (batch.at === 'asked') look(move);
  else if (batch.at === 'sent') poll(move);
  else if (batch.at === 'collected') move.may('deletes the batch at its provider', eraseBatch);
  else move.may('finds no row', leaveBatch);
}

function open({ own, guards, may }: Move): void {
  if (own.requests.length === 0) {
    may('removes the empty batch', ending(removeEmpty));
    return;
  }
  const ask = (by: BatchWrite) => {
    if (askBatch(by)) by.own.at = by.own.kept === -1 ? 'committed' : 'named';
    else leaveBatch(by);
  };
  if (guards.sendFollowsCommit || own.kept !== -1) may('commits the requests', ask);
  else may('sends the batch before the commit', (by) => sendBatch(by, 'running', 'took'));
}

/** The request creates the batch. A worker that slept since its commit no longer sends it. */
function send({ state, own, guards, may }: Move): void {
  if (guards.senderChecksClock && !mayCreate(state, own)) {
    may('gives up its late request', leaveBatch);
    return;
  }
  may('sends the batch', (by) => sendBatch(by, 'running', 'named'));
  may(
    'sends the batch, and the answer is lost',
    ending((by) => sendBatch(by, 'hidden', 'named')),
    'lostAck',
  );
  const get = (where: BatchWorker['at']) => (by: BatchWrite) => void Object.assign(by.own, { at: where });
  may('is refused', get('refused'), 'refused');
  if (own.requests.length > 1) may('is refused, since the batch is too large', get('too-large'), 'refusal');
  may('is refused because of one line', get('bad-line'), 'definite');
}

/** Looks for a batch after the answer to its creation was lost. */
function look({ state, own, guards, may }: Move): void {
  const found = guards.resendNeedsListing ? findBatch(state, own, guards) : 'missing';
  const { isOverdue } = at(state.batches, own.batch);
  if (typeof found === 'number') may('finds the batch', (by) => Object.assign(by.own, { at: 'named', kept: found }));
  else if (found === 'missing' && (isOverdue || !guards.resendNeedsTime))
    may('finds no batch', (by) => Object.assign(by.own, { at: 'absent' }));
  else may('looks again later', leaveBatch);
}

/** Polls the batch. A batch that no round awaits any more is cancelled. */
function poll({ state, own, guards, may }: Move): void {
  const { kept, isCancelled } = at(state.batches, own.batch);
  const { at: where } = at(state.kept, kept);
  const isOver = (id: number) => !isAwaited(state, id);
  const mayCancel = guards.cancelNeedsAll ? own.requests.every(isOver) : own.requests.some(isOver);
  if (where === 'running' && mayCancel && !isCancelled) may('cancels the batch', ending(cancelBatch));
  else if (where === 'refused') {
    may('finds the batch refused', (by) => Object.assign(by.own, { at: 'refused' }));
    if (own.requests.length > 1) may('finds the batch too large', (by) => Object.assign(by.own, { at: 'too-large' }));
  } else if (where === 'running' || where === 'hidden') may('finds the batch at work', leaveBatch);
  else if (guards.eraseNeedsAnswers || where === 'deleted')
    may('finds the batch ended', (by) => Object.assign(by.own, { at: 'reading' }));
  else may('deletes the batch at its provider', eraseBatch);
}

function cancelBatch({ after, own }: BatchWrite): void {
  const batch = at(after.batches, own.batch);
  if (own.requests.some((id) => isAwaited(after, id)))
    after.broken ??= 'a batch was cancelled although a round awaits it';
  batch.isCancelled = true;
  Object.assign(at(after.kept, batch.kept), { at: 'ended', answer: 'failed' });
}

/** Reads the results in order. Each answer is stored in its own commit. */
function read({ state, own, guards, may }: Move): void {
  const { requests, at: where, answer } = at(state.kept, at(state.batches, own.batch).kept);
  const id = requests[own.next];
  const become = (next: BatchWorker['at']) => (by: BatchWrite) => void Object.assign(by.own, { at: next });
  if (own.at === 'waking')
    may('wakes the turn', (by) => {
      wakeIfFree(by.after, at(by.after.requests, requests[own.next - 1] ?? -1).turn);
      by.own.at = 'reading';
    });
  else if (id === undefined || where !== 'ended') may('has read all results', become('collecting'));
  else if (own.at === 'reading' && !guards.storeLocksTurn)
    may('looks at the lease', ({ after, own: by }) => {
      const { owner } = at(after.turns, at(after.requests, id).turn);
      Object.assign(by, { at: 'storing', sawLease: owner !== -1 });
    });
  else {
    const store = (step: number) => (by: BatchWrite) => {
      const turn = storeAnswer(by, id, answer);
      const next = turn === -1 ? 'reading' : 'waking';
      Object.assign(by.own, { next: own.next + step, at: next, sawLease: false });
    };
    may(`stores the answer to request ${id + 1}`, store(1));
    may(`stores the answer to request ${id + 1}, which the results have twice`, store(0), 'duplicate');
    may('gets cut results', become('collecting'), 'lose');
  }
}

/** Models the deletion at the provider (R44), which the row outlives. */
function eraseBatch(by: BatchWrite): void {
  const { after, own, guards } = by;
  const batch = at(after.batches, own.batch);
  if (guards.rowOutlivesBatch) at(after.kept, batch.kept).at = 'deleted';
  if (requestsWith(after, { row: 'sent', batch: own.batch }).length > 0)
    after.broken ??= 'a batch was deleted before its answers were stored';
  own.at = 'erased';
}

function removeRow({ after, own, guards }: BatchWrite): void {
  const batch = at(after.batches, own.batch);
  batch.at = 'removed';
  const kept = at(after.kept, batch.kept);
  if (kept.at !== 'deleted') after.broken ??= 'a batch was left at its provider';
  if (!guards.rowOutlivesBatch) kept.at = 'deleted';
}
