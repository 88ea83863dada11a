import { expect } from 'vitest';
import { missBatch } from '#core/checkpoint/batches/confirm-batch.ts';
import { readRequests } from '#core/checkpoint/batches/read-requests.ts';
import { ACCOUNT, test } from './open-batches.ts';

test('requests become a batch after the oldest has waited, or if enough requests wait', async ({ opened }) => {
  const { db, claim } = opened;
  const limits = { waitMs: 60_000, size: 3 };
  await opened.enter();
  await opened.enter();
  const young = await claim({}, db, limits);
  await opened.enter();
  const full = await claim({}, db, limits);
  await opened.enter();
  const next = await claim({}, db, limits);
  await opened.age(60_001);

  const old = await claim({}, db, limits);

  expect([young, full, next, old]).toEqual([0, 1, 0, 1]);
  const [first, second] = await opened.batches();
  const ofBatches = (await opened.requests()).map(({ batch_id }) => batch_id);
  expect(ofBatches).toEqual([first!.id, first!.id, first!.id, second!.id]);
});

test('requests of another model or wire are in another batch', async ({ opened }) => {
  await opened.enter();
  await opened.enter({ wire: 'openai-responses' });

  const claimed = await opened.claim();

  expect(claimed).toBe(1);
  expect((await opened.requests()).filter(({ batch_id }) => batch_id !== null)).toHaveLength(1);
  expect(await opened.claim({ wire: 'openai-responses' })).toBe(1);
});

test('a batch has at most as many requests as its provider accepts', async ({ opened: { enter, claim, requests } }) => {
  for (let nth = 0; nth < 5; nth += 1) await enter();

  expect(await claim({ requests: 2 })).toBe(3);

  const sizes = Map.groupBy(await requests(), ({ batch_id }) => batch_id).values();
  expect([...sizes].map(({ length }) => length).toSorted()).toEqual([1, 2, 2]);
});

test('a request of a cancelled turn is removed and starts no batch', async ({ opened }) => {
  const { turnId } = await opened.enter();
  await opened.cancel(turnId);

  expect(await opened.claim()).toBe(0);
  expect([await opened.requests(), await opened.batches()]).toEqual([[], []]);
});

test('old requests of cancelled turns do not send young requests early', async ({ opened }) => {
  const { turnId } = await opened.enter();
  await opened.cancel(turnId);
  await opened.age(60_001);
  const young = await opened.enter();

  expect(await opened.claim({}, opened.db, { waitMs: 60_000, size: 2 })).toBe(0);
  expect(await opened.requests()).toMatchObject([{ id: young.requestId, batch_id: null }]);
});

test('workers that claim at the same time give each request to a single batch', async ({ opened }) => {
  const { db, otherDb, claim } = opened;
  for (let nth = 0; nth < 30; nth += 1) await opened.enter();

  const claimed = await Promise.all([1, 2, 3, 4].map((nth) => claim({ requests: 10 }, nth % 2 ? db : otherDb)));

  const batches = await opened.batches();
  const requests = await opened.requests();
  expect(claimed.reduce((sum, each) => sum + each, 0)).toBe(batches.length);
  expect(requests.every(({ batch_id }) => batches.some(({ id }) => id === batch_id))).toBe(true);
});

test('an account that keeps no keys has one batch until its provider has confirmed it', async ({ opened }) => {
  const { db, otherDb, claim, take } = opened;
  const own = { keepsKey: false, requests: 1 };
  for (let nth = 0; nth < 3; nth += 1) await opened.enter();

  const claimed = await Promise.all([1, 2, 3, 4].map((nth) => claim(own, nth % 2 ? db : otherDb)));

  expect(claimed.toSorted()).toEqual([0, 0, 0, 1]);
  expect(await take()).toHaveLength(1);
  expect(await claim(own)).toBe(0);
  expect(await claim({ ...own, account: 'account-2' })).toBe(1);
});

test('a batch is taken by one worker at a time, with all that it knows', async ({ opened }) => {
  const { turnId, requestId } = await opened.enter();
  await opened.claim();

  const taken = await Promise.all([opened.take('one'), opened.take('other', opened.otherDb)]);
  const [batch] = taken.flat();

  expect(taken.flat()).toHaveLength(1);
  const { provider, account, wire } = ACCOUNT;
  expect(batch).toMatchObject({ provider, account, wire, model: 'openai/test', state: 'open', isAwaited: true });
  expect(batch).toMatchObject({ providerId: null, files: [], requests: null, askedMs: null, refusals: 0, polls: 0 });
  expect(batch?.createdAt).toBeInstanceOf(Date);
  expect(await readRequests(opened.db, batch!.id)).toEqual([
    { id: requestId, turnId, step: 'r1', model: 'openai/test', isAwaited: true, hasDeadline: false },
  ]);
});

test('a batch is taken again after the lease of its worker, which then has lost it', async ({ opened }) => {
  await opened.enter();
  const { batch, owner } = await opened.askOne();
  await opened.age(61_000);

  const again = await opened.take('next');

  expect(again).toMatchObject([{ id: batch.id, state: 'asked', requests: 1 }]);
  expect(again[0]?.askedMs).toBeGreaterThanOrEqual(61_000);
  expect(again[0]?.askedAt).toBeInstanceOf(Date);
  expect(await missBatch(opened.db, { id: batch.id, owner })).toBe(false);
});

test('a sent batch that no round waits for is taken before it is due', async ({ opened }) => {
  const [one, other] = [await opened.enter(), await opened.enter()];
  const { batch, owner } = await opened.sendOne();
  const postpone = () => opened.postpone({ id: batch.id, owner, delayMs: 60_000 });
  await postpone();
  await opened.cancel(one.turnId);
  const half = await opened.take();
  await opened.cancel(other.turnId);

  const [taken] = await opened.take('own');

  expect(half).toEqual([]);
  expect(taken).toMatchObject({ id: batch.id, isAwaited: false, isCancelled: false });
  expect(await opened.markCancelled({ id: batch.id, owner: 'own' })).toBe(true);
  expect(await opened.markCancelled({ id: batch.id, owner: 'own' })).toBe(false);
  await postpone();
  expect(await opened.take()).toEqual([]);
});
