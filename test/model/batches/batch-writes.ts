import { at } from '../explore/plain-model.ts';
import type { BatchGuards } from './batch-guards.ts';
import { type Answer, addBatch, type BatchState, type BatchWorker, isAwaited, requestsWith } from './batch-state.ts';

/** A write of a worker on its batch, with the guards that are up. */
export type BatchWrite = { after: BatchState; slot: number; own: BatchWorker; guards: BatchGuards };

export function recordUsage(after: BatchState, id: number): void {
  const request = at(after.requests, id);
  request.records += 1;
  if (request.records > 1) after.broken ??= 'the usage of an answer was counted twice';
}

/** Makes a turn due if no run has its lease. A run with the lease finds the answer itself. */
export function wakeIfFree(after: BatchState, turn: number): void {
  if (at(after.turns, turn).owner === -1) wakeTurn(after, turn);
}

/** Makes a turn due under the next generation. */
export function wakeTurn(after: BatchState, turn: number): void {
  for (const run of after.runs) if (run.turn === turn) run.isFresh = false;
  at(after.turns, turn).isDue = true;
}

/** Returns the requests that a claim may take. */
export function unclaimedRequests(state: BatchState, { claimNeedsFree }: BatchGuards): number[] {
  return requestsWith(state, claimNeedsFree ? { row: 'waiting', batch: -1 } : { row: 'waiting' });
}

/** Models `claim-batches.ts` (R43): requests that no batch has get a batch. */
export function claimRequests({ after, guards }: BatchWrite): void {
  const waiting = unclaimedRequests(after, guards);
  const awaited = waiting.filter((id) => isAwaited(after, id)).slice(0, after.size);
  for (const id of waiting) if (!isAwaited(after, id)) at(after.requests, id).row = 'gone';
  if (awaited.length === 0) return;
  const batch = addBatch(after);
  for (const id of awaited) at(after.requests, id).batch = batch;
}

/** Returns whether the worker still has the row, unless the guard is down. */
function hasBatch({ after, slot, own }: BatchWrite, isChecked = true): boolean {
  return !isChecked || at(after.batches, own.batch).owner === slot;
}

/**
 * Models `ask-batch.ts` (R42): the owner commits the exact list of requests. In an account without keys, no other
 * batch may be unconfirmed. Returns whether the worker may send.
 */
export function askBatch(by: BatchWrite): boolean {
  const { after, own, guards } = by;
  const batch = at(after.batches, own.batch);
  if (!hasBatch(by, guards.askNeedsOwner) || batch.at !== 'open') return false;
  const isAlone = after.keepsKey || after.batches.every((other) => other.at !== 'asked');
  if (!isAlone && guards.askNeedsAccount) return false;
  const isKept = (id: number) => own.requests.includes(id) && (guards.askKeepsLines || isAwaited(after, id));
  for (const id of requestsWith(after, { row: 'waiting', batch: own.batch }))
    at(after.requests, id).row = isKept(id) ? 'sent' : 'gone';
  Object.assign(batch, { at: 'asked', asks: batch.asks + 1, sent: own.requests, isOverdue: false, kept: -1 });
  batch.from = after.kept.length;
  own.ask = batch.asks;
  return true;
}

/** Models `removeBatch` of `collect-batch.ts`, of a batch without a request that a round awaits. */
export function removeEmpty(by: BatchWrite): void {
  const { after, own } = by;
  if (!hasBatch(by)) return;
  for (const id of requestsWith(after, { row: 'waiting', batch: own.batch })) at(after.requests, id).batch = -1;
  at(after.batches, own.batch).at = 'removed';
}

/** Models `confirm-batch.ts` (R42). */
export function confirmBatch(by: BatchWrite): void {
  const { after, own, guards } = by;
  const batch = at(after.batches, own.batch);
  if (!hasBatch(by, guards.confirmNeedsOwner) || batch.at !== 'asked') return;
  if (at(after.kept, own.kept).batch !== own.batch) after.broken ??= 'a batch of another program was adopted';
  Object.assign(batch, { at: 'sent', kept: own.kept });
}

/** Models `refuse-batch.ts` (R42): the same requests wait for the next time. */
export function refuseBatch(by: BatchWrite): void {
  const { after, own, guards } = by;
  const batch = at(after.batches, own.batch);
  if (!hasBatch(by, guards.refuseNeedsOwner) || (batch.at !== 'asked' && batch.at !== 'sent')) return;
  batch.refusals += 1;
  reopen(after, own.batch, guards.refuseKeepsRequests);
}

/** Models `split-batch.ts` (R43): the later half of the requests gets a new batch. */
export function splitBatch(by: BatchWrite): void {
  const { after, own, guards } = by;
  const batch = at(after.batches, own.batch);
  if (!hasBatch(by) || (batch.at !== 'asked' && batch.at !== 'sent')) return;
  if (guards.splitRaisesRefusals) batch.refusals += 1;
  reopen(after, own.batch);
  const rows = requestsWith(after, { row: 'waiting', batch: own.batch });
  const second = addBatch(after);
  for (const id of rows.slice(Math.ceil(rows.length / 2))) at(after.requests, id).batch = second;
}

/** Models `miss-batch.ts` (R42). */
export function missBatch(by: BatchWrite): void {
  const { after, own, guards } = by;
  if (hasBatch(by, guards.missNeedsOwner) && at(after.batches, own.batch).at === 'asked') reopen(after, own.batch);
}

function reopen(after: BatchState, batch: number, keepsRequests = true): void {
  Object.assign(at(after.batches, batch), { at: 'open', kept: -1 });
  for (const id of requestsWith(after, { row: 'sent', batch }))
    if (keepsRequests) at(after.requests, id).row = 'waiting';
}

/** Answers a request that the provider has named as the cause of its refusal. */
export function answerBadLine(by: BatchWrite): void {
  const { after, own, guards } = by;
  const id = own.requests[0] ?? -1;
  if (
    !hasBatch(by, guards.badLineNeedsOwner) ||
    (at(after.batches, own.batch).at !== 'asked' && guards.badLineNeedsOwner)
  )
    return;
  if (at(after.requests, id).row !== 'sent') return;
  if (after.kept.some(({ at: where, requests }) => where !== 'refused' && requests.includes(id)))
    after.broken ??= 'a request was answered without its result';
  storeAnswer(by, id, 'failed');
}

/**
 * Models `save-answers.ts` (R43): an answer is stored once, in one commit with the wakeup of its turn. An answer that
 * no round awaits is counted. Returns the turn that is to be woken by another commit, or -1.
 */
export function storeAnswer({ after, own, guards }: BatchWrite, id: number, answer: Answer): number {
  const request = at(after.requests, id);
  if (request.row !== 'sent' && guards.storeNeedsSent) return -1;
  if (!isAwaited(after, id)) {
    if (guards.lateIsCounted) recordUsage(after, id);
    request.row = 'gone';
    return -1;
  }
  Object.assign(request, { row: 'answered', answer });
  if (!guards.storeWakes) return request.turn;
  if (!own.sawLease) wakeIfFree(after, request.turn);
  return -1;
}

/** Models `collect-batch.ts` (R44): all answers are stored. */
export function collectBatch(by: BatchWrite): void {
  const { after, own, guards } = by;
  const isStored = requestsWith(after, { row: 'sent', batch: own.batch }).length === 0;
  const batch = at(after.batches, own.batch);
  if (hasBatch(by) && batch.at === 'sent' && (isStored || !guards.collectNeedsAnswers)) batch.at = 'collected';
}
