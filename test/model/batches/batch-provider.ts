import type { Emit } from '../explore/model.ts';
import { at } from '../explore/plain-model.ts';
import type { BatchGuards } from './batch-guards.ts';
import { type BatchState, type BatchWorker, isAwaited, type KeptBatch } from './batch-state.ts';
import type { BatchWrite } from './batch-writes.ts';

/** Creates the batch at the provider, and moves the worker on. */
export function sendBatch({ after, own }: BatchWrite, where: 'hidden' | 'running', next: 'named' | 'took'): void {
  const { requests, batch } = own;
  const { refusals } = at(after.batches, batch);
  if (own.hasOver && requests.some((id) => !isAwaited(after, id)))
    after.broken ??= 'a request was sent although no round awaited it when its line was read';
  after.kept.push({ batch, refusals, requests: [...requests], size: requests.length, at: where, answer: 'ok' });
  Object.assign(own, { at: next, kept: after.kept.length - 1 });
}

/** Returns whether the request of a worker, sent now, reaches the provider before the batch counts as missing. */
export function mayCreate({ batches }: BatchState, { batch, ask }: BatchWorker): boolean {
  const { asks, isOverdue } = at(batches, batch);
  return asks === ask && !isOverdue;
}

/** Looks for a batch by its key, or in an account without keys by its time, its size and the ids of its results. */
export function findBatch(state: BatchState, own: BatchWorker, guards: BatchGuards): number | 'missing' | 'unsure' {
  const shown = state.kept.flatMap((kept, index) => (isShown(kept) ? [{ ...kept, index }] : []));
  if (state.keepsKey) {
    const { refusals } = at(state.batches, own.batch);
    const hasKey = (kept: KeptBatch) =>
      kept.batch === own.batch && (kept.refusals === refusals || !guards.keyHasRefusals);
    return shown.find(hasKey)?.index ?? 'missing';
  }
  const { from, sent } = at(state.batches, own.batch);
  const candidates = shown.filter(({ index, size }) => index >= from && size === sent.length);
  const isOwn = ({ at: where, requests }: KeptBatch) => where === 'ended' && requests.join() === sent.join();
  const found = candidates.find((kept) => isOwn(kept) || !guards.adoptNeedsIds);
  if (found) return found.index;
  return candidates.some(({ at: where }) => where === 'running') ? 'unsure' : 'missing';
}

function isShown({ at: where }: KeptBatch): boolean {
  return where !== 'hidden' && where !== 'deleted';
}

/** Emits the moves of the provider, of another program with the same account, and of time. */
export function workAtProvider(state: BatchState, emit: Emit<BatchState>): void {
  for (const [index, { at: where, batch }] of state.kept.entries()) {
    const become = (change: Partial<KeptBatch>) => (after: BatchState) =>
      void Object.assign(at(after.kept, index), change);
    const name = `batch ${index + 1} of the provider`;
    if (where === 'hidden') emit(`a listing shows ${name}`, become({ at: 'running' }));
    if (where !== 'running') continue;
    emit(`${name} ends`, become({ at: 'ended' }));
    if (batch === -1) continue;
    emit(`${name} expires`, become({ at: 'ended', answer: 'failed' }), 'later');
    emit(`${name} ends with answers that teach another form`, become({ at: 'ended', answer: 'other' }), 'change');
    if (state.keepsKey) emit(`${name} is refused after its creation`, become({ at: 'refused' }), 'fail');
  }
  emit('another program sends a batch', ({ kept }) => kept.push({ ...OTHER }), 'start');
  for (const [index, { at: where, isOverdue }] of state.batches.entries()) {
    if (where !== 'asked' || isOverdue || isUnderWay(state, index)) continue;
    emit(`batch ${index + 1} is overdue`, (after) => Object.assign(at(after.batches, index), { isOverdue: true }));
  }
}

const OTHER: KeptBatch = { batch: -1, refusals: 0, requests: [], size: 1, at: 'running', answer: 'ok' };

/** Returns whether the request may still be on its way, or its batch is not yet shown. */
function isUnderWay({ workers, kept }: BatchState, index: number): boolean {
  return (
    workers.some((own) => own.at === 'committed' && own.batch === index && !own.isAsleep) ||
    kept.some(({ at: where, batch }) => where === 'hidden' && batch === index)
  );
}
