import { expect } from 'vitest';
import { askBatch } from '#core/checkpoint/batches/ask-batch.ts';
import { collectBatch, removeBatch } from '#core/checkpoint/batches/collect-batch.ts';
import { confirmBatch, missBatch } from '#core/checkpoint/batches/confirm-batch.ts';
import { listBatches } from '#core/checkpoint/batches/list-batches.ts';
import { renewBatch } from '#core/checkpoint/batches/postpone-batch.ts';
import { readRequests } from '#core/checkpoint/batches/read-requests.ts';
import { refuseBatch } from '#core/checkpoint/batches/refuse-batch.ts';
import { saveAnswers } from '#core/checkpoint/batches/save-answers.ts';
import { splitBatch } from '#core/checkpoint/batches/split-batch.ts';
import { takeBatches } from '#core/checkpoint/batches/take-batches.ts';
import { newId } from '#core/id.ts';
import { answered, test } from './open-batches.ts';

const states = (rows: { state: string }[]) => rows.map(({ state }) => state);

test('a batch is committed with the requests that are sent, and the others wait again', async ({ opened }) => {
  const [sent, left, cancelled, forgotten] = [
    await opened.enter(),
    await opened.enter(),
    await opened.enter(),
    await opened.enter(),
  ];
  const { batch, owner } = await opened.claimOne();
  await opened.cancel(cancelled.turnId);

  const asked = await askBatch(opened.db, { id: batch.id, owner, sent: [sent.requestId], left: [left.requestId] });

  expect(asked).toBe(true);
  expect(await opened.requests()).toMatchObject([
    { id: sent.requestId, state: 'sent', batch_id: batch.id },
    { id: left.requestId, state: 'waiting', batch_id: null },
    { id: forgotten.requestId, state: 'waiting', batch_id: null },
  ]);
  expect(states(await opened.batches())).toEqual(['asked']);
});

test('a batch is committed once, by its owner, and with all its requests', async ({ opened }) => {
  const { requestId } = await opened.enter();
  const { batch, owner } = await opened.claimOne();
  const ask = (own: object) => askBatch(opened.db, { id: batch.id, owner, sent: [requestId], left: [], ...own });

  const refused = [await ask({ owner: 'other' }), await ask({ sent: [] }), await ask({ sent: [requestId, 'req_0'] })];
  const before = [states(await opened.batches()), states(await opened.requests())];
  const asked = await Promise.all([ask({}), ask({})]);

  expect(refused).toEqual([false, false, false]);
  expect(before).toEqual([['open'], ['waiting']]);
  expect(asked.toSorted()).toEqual([false, true]);
});

test('batches of excepted providers are not taken', async ({ opened }) => {
  const { db } = opened;
  await opened.enter();
  await opened.claim();
  const taking = { owner: 'own', limit: 10, leaseMs: 60_000 };

  const none = await takeBatches(db, { ...taking, except: ['anthropic', 'openai'] });
  const taken = await takeBatches(db, { ...taking, except: ['anthropic'] });

  expect(none).toEqual([]);
  expect(taken).toMatchObject([{ provider: 'openai' }]);
});

test('two halves of a batch without a key are asked in turn', async ({ opened }) => {
  const { db, take } = opened;
  const [one, other] = [await opened.enter(), await opened.enter()];
  await opened.claim({ keepsKey: false });
  const [batch] = await take('own');
  await splitBatch(db, { id: batch!.id, owner: 'own', newId: newId('batch') });
  const halves = await take('own');
  const ask = ({ id }: { id: string }, requestId: string) =>
    askBatch(db, { id, owner: 'own', sent: [requestId], left: [] });

  const asked = await Promise.all([ask(halves[0]!, one.requestId), ask(halves[1]!, other.requestId)]);
  await opened.age(61_000);
  const taken = await take('own');

  expect(asked.toSorted()).toEqual([false, true]);
  expect(states(taken)).toEqual(['asked']);
  const confirmed = { id: taken[0]!.id, owner: 'own', providerId: 'batch_1', files: [], delayMs: 60_000 };
  expect(await confirmBatch(db, confirmed)).toBe(true);
  expect(states(await take('own'))).toEqual(['open']);
});

test('a batch is confirmed with the ids of its provider, and looked at later', async ({ opened }) => {
  await opened.enter();
  const { batch, owner } = await opened.askOne();
  const { id } = batch;
  const confirm = (by: string) =>
    confirmBatch(opened.db, { id, owner: by, providerId: 'batch_1', files: ['file_1'], delayMs: 10_000 });

  expect([await confirm('other'), await confirm(owner), await confirm(owner)]).toEqual([false, true, false]);
  expect(await opened.take()).toEqual([]);
  await opened.age(10_001);
  const [taken] = await opened.take('next');

  expect(taken).toMatchObject({ state: 'sent', providerId: 'batch_1', files: ['file_1'], polls: 0, lostReads: 0 });
  expect(taken?.sentMs).toBeGreaterThanOrEqual(10_000);
  const next = { id, owner: 'next', delayMs: 60_000 };
  expect(await renewBatch(opened.db, { id, owner: 'next', leaseMs: 5_000 })).toBe(true);
  expect(await renewBatch(opened.db, { id, owner, leaseMs: 5_000 })).toBe(false);
  expect(await opened.postpone({ ...next, polls: 1, lostReads: 2 })).toBe(true);
  expect(await opened.postpone(next)).toBe(false);
  await opened.age(60_001);
  expect(await opened.take()).toMatchObject([{ polls: 1, lostReads: 2 }]);
});

test('a batch that its provider does not have is sent again at once', async ({ opened }) => {
  const { requestId } = await opened.enter();
  const { batch, owner } = await opened.askOne();

  expect(await missBatch(opened.db, { id: batch.id, owner })).toBe(true);

  expect(await opened.take()).toMatchObject([{ id: batch.id, state: 'open', askedAt: null, requests: null }]);
  expect(await opened.requests()).toMatchObject([{ id: requestId, state: 'waiting', batch_id: batch.id }]);
});

test('a refused batch keeps its requests and the time of its first refusal', async ({ opened }) => {
  await opened.enter();
  const { db } = opened;
  const { batch, owner } = await opened.askOne();
  const refusal = { id: batch.id, code: 'token_limit_exceeded', delayMs: 60_000 };
  const refused = await refuseBatch(db, { ...refusal, owner });
  const soon = await opened.take();
  await opened.age(60_001);
  const [first] = await opened.take('next');
  await refuseBatch(db, { ...refusal, owner: 'next' });
  await opened.age(60_001);

  const [second] = await opened.take();

  expect([refused, soon]).toEqual([true, []]);
  expect(first).toMatchObject({ state: 'open', refusals: 1, refusalCode: 'token_limit_exceeded', isAwaited: true });
  expect(second).toMatchObject({ state: 'open', refusals: 2 });
  expect(second?.refusedMs).toBeGreaterThanOrEqual(120_000);
  expect(states(await opened.requests())).toEqual(['waiting']);
});

test('a batch that is too large is divided once, and a single request is not', async ({ opened }) => {
  const { db } = opened;
  const entered = [await opened.enter(), await opened.enter(), await opened.enter()];
  const { batch, owner } = await opened.askOne();
  const later = newId('batch');
  const split = () => splitBatch(db, { id: batch.id, owner, newId: later });

  const divided = await Promise.all([split(), split()]);

  expect(divided.toSorted()).toEqual([false, true]);
  const ids = entered.map(({ requestId }) => requestId);
  expect((await readRequests(db, batch.id)).map(({ id }) => id)).toEqual(ids.slice(0, 2));
  expect((await readRequests(db, later)).map(({ id }) => id)).toEqual(ids.slice(2));
  expect(states(await opened.take('own'))).toEqual(['open', 'open']);
  expect(await splitBatch(db, { id: later, owner: 'own', newId: newId('batch') })).toBe(false);
});

test('a batch is collected after all its answers are stored, and then removed', async ({ opened }) => {
  const { db } = opened;
  const [one, other] = [await opened.enter(), await opened.enter()];
  const { batch, owner } = await opened.sendOne();
  const collect = () => collectBatch(db, { id: batch.id, owner, files: ['file_1', 'file_2'] });
  await saveAnswers(db, [answered(one.requestId)]);
  const early = [await collect(), await removeBatch(db, { id: batch.id, owner })];
  await saveAnswers(db, [answered(other.requestId)]);

  const collected = await collect();
  const [taken] = await opened.take('next');

  expect([early, collected]).toEqual([[false, false], true]);
  expect(taken).toMatchObject({ state: 'collected', files: ['file_1', 'file_2'], isAwaited: false });
  expect(taken?.endedMs).toBeGreaterThanOrEqual(0);
  expect(await removeBatch(db, { id: batch.id, owner })).toBe(false);
  expect(await removeBatch(db, { id: batch.id, owner: 'next' })).toBe(true);
  expect([await opened.batches(), states(await opened.requests())]).toEqual([[], ['answered', 'answered']]);
});

test('requests of a batch that is removed before it is sent wait for another batch', async ({ opened }) => {
  await opened.enter();
  const { batch, owner } = await opened.claimOne();

  expect(await removeBatch(opened.db, { id: batch.id, owner })).toBe(true);

  expect(await opened.requests()).toMatchObject([{ state: 'waiting', batch_id: null }]);
});

test('the list of batches has the newest first, and the requests in no batch', async ({ opened }) => {
  const { db } = opened;
  const [one] = [await opened.enter(), await opened.enter()];
  const { batch } = await opened.sendOne();
  await saveAnswers(db, [answered(one.requestId)]);
  await opened.enter();
  await opened.claim();
  await opened.enter();
  await opened.age(5_000);

  const all = await listBatches(db, { limit: 2 });
  const first = await listBatches(db, { limit: 1 });
  const second = await listBatches(db, { limit: 1, after: first.batches[0]!.id });

  expect(all.batches).toMatchObject([
    { state: 'open', requests: 1, waiting: 1, answered: 0, sentAt: null },
    { id: batch.id, state: 'sent', requests: 2, waiting: 1, answered: 1, model: 'openai/test', provider: 'openai' },
  ]);
  expect(all.batches[1]!.ageMs).toBeGreaterThanOrEqual(5_000);
  expect(all.lanes).toMatchObject([{ provider: 'openai', model: 'openai/test', waiting: 1 }]);
  expect(all.lanes[0]!.oldestMs).toBeGreaterThanOrEqual(5_000);
  expect([first.hasMore, second.hasMore]).toEqual([true, false]);
  expect([...first.batches, ...second.batches].map(({ id }) => id)).toEqual(all.batches.map(({ id }) => id));
});
