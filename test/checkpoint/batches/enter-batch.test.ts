import { expect } from 'vitest';
import { enterBatch } from '#core/checkpoint/batches/enter-batch.ts';
import { readAnswers } from '#core/checkpoint/batches/read-answers.ts';
import { saveAnswers } from '#core/checkpoint/batches/save-answers.ts';
import { rescueTurns } from '#core/checkpoint/rescue.ts';
import { takeLease } from '#core/checkpoint/turns/lease.ts';
import { selectTurn } from '#core/checkpoint/turns/reading/select.ts';
import { newId } from '#core/id.ts';
import { waitingOf } from '#core/turn/resource/waiting.ts';
import { answered, plainRound, test } from './open-batches.ts';

const waitingFor = async (db: Parameters<typeof selectTurn>[0], turnId: string) =>
  waitingOf((await selectTurn(db, turnId, 'any'))!);

test('a round enters a batch, and its turn waits without a lease and without a slot', async ({ opened }) => {
  const { turnId, requestId, runId } = await opened.enter({ slot: 'held' });

  const turn = await selectTurn(opened.db, turnId, 'any');
  const work = await opened.work(turnId);

  expect(work).toMatchObject({ slot: 'none', lease_owner: null, generation: 1, never: true });
  expect(turn?.work.background).toMatchObject({ responses: [requestId], isBatch: true, inputs: 0 });
  expect(waitingOf(turn!)?.for).toBe('batch');
  expect(await takeLease(opened.db, turn!, runId)).toBe(null);
  expect(await opened.requests()).toMatchObject([{ id: requestId, turn_id: turnId, state: 'waiting', batch_id: null }]);
});

test('a run without the lease adds no request to a batch', async ({ opened: { db, lease, enter, requests } }) => {
  const leased = await lease();
  const first = await enter();

  const otherRun = await enterBatch(db, plainRound({ ...leased, runId: 'another' }, [newId('req')]));
  const otherModel = await enterBatch(db, { ...plainRound(leased, [newId('req')]), model: 'openai/other' });
  const again = await enterBatch(db, plainRound(first, [newId('req')]));

  expect([otherRun, otherModel, again]).toEqual([false, false, false]);
  expect(await requests()).toMatchObject([{ id: first.requestId }]);
});

test('two runs that enter the same round add a single request', async ({ opened }) => {
  const leased = await opened.lease();

  const entered = await Promise.all(
    [opened.db, opened.otherDb].map((db) => enterBatch(db, plainRound(leased, [newId('req')]))),
  );

  expect(entered.toSorted()).toEqual([false, true]);
  expect(await opened.requests()).toHaveLength(1);
});

test('a round in a batch is due at its deadline, or when it may ask another tier', async ({ opened }) => {
  const atDeadline = await opened.enter({ limits: { deadline_seconds: 5 } });
  const atTier = await opened.enter({ delayMs: 4_000 });
  const late = await opened.enter({ delayMs: 600_000 });

  expect(await opened.work(atDeadline.turnId)).toMatchObject({ soon: true });
  expect(await opened.work(atTier.turnId)).toMatchObject({ soon: true });
  expect(await opened.work(late.turnId)).toMatchObject({ soon: false, never: false });
  expect((await waitingFor(opened.db, atDeadline.turnId))?.for).toBe('batch');
});

test('a rescue takes no round that waits for a batch before it is late for its tier', async ({ opened }) => {
  const limits = [{ name: 'openai/test', forMs: 60_000, counts: true }];
  await opened.enter();
  const late = await opened.enter({ delayMs: 20_000 });
  await opened.age(10_000);
  const early = await rescueTurns(opened.db, 10, limits);
  await opened.age(30_000);

  const rescued = await rescueTurns(opened.db, 10, limits);

  expect(early).toEqual([]);
  expect(rescued.map(({ turnId }) => turnId)).toEqual([late.turnId]);
});

test('a round that enters with a further request keeps the start of its wait', async ({ opened }) => {
  const { db } = opened;
  const { turnId, runId, requestId } = await opened.enter();
  const before = await waitingFor(db, turnId);
  await opened.sendOne();
  await saveAnswers(db, [answered(requestId)]);
  const woken = (await selectTurn(db, turnId, 'any'))!;
  const taken = await takeLease(db, woken, runId);
  const [next] = [newId('req')];

  const again = { ...plainRound({ turnId, runId }, [requestId, next]), generation: woken.work.generation };
  const entered = await enterBatch(db, { ...again, draft: taken!.draft });

  expect(entered).toBe(true);
  expect(await waitingFor(db, turnId)).toEqual(before);
  expect(taken?.background).toMatchObject({ responses: [requestId], isBatch: true });
  expect((await selectTurn(db, turnId, 'any'))?.work.background?.responses).toEqual([requestId, next]);
  expect(await readAnswers(db, [next, requestId])).toEqual([null, answered(requestId).answer]);
});

test('a round waits again for the same request, unless its answer is stored', async ({ opened }) => {
  const { db } = opened;
  const { turnId, runId, requestId } = await opened.enter({ delayMs: 0 });
  await opened.sendOne();
  const load = async () => (await selectTurn(db, turnId, 'any'))!;
  const waitAgain = async () => {
    const { generation } = (await load()).work;
    return await enterBatch(db, {
      ...plainRound({ turnId, runId }, [requestId]),
      generation,
      delayMs: 0,
      isNew: false,
    });
  };
  await takeLease(db, await load(), runId);

  const again = await waitAgain();
  await takeLease(db, await load(), runId);
  await saveAnswers(db, [answered(requestId)]);
  const tooLate = await waitAgain();

  expect([again, tooLate]).toEqual([true, false]);
  expect(await opened.requests()).toMatchObject([{ id: requestId, state: 'answered' }]);
  expect(await opened.work(turnId)).toMatchObject({ lease_owner: runId });
});

test('a round that waits again while its answer is stored is due in any order', async ({ opened }) => {
  const { db, otherDb } = opened;
  for (let nth = 0; nth < 20; nth += 1) {
    const { turnId, runId, requestId } = await opened.enter({ delayMs: 0 });
    await opened.sendOne();
    const turn = (await selectTurn(db, turnId, 'any'))!;
    await takeLease(db, turn, runId);
    const entry = { ...plainRound({ turnId, runId }, [requestId]), generation: turn.work.generation, isNew: false };

    const [waits, { wakeups }] = await Promise.all([
      enterBatch(db, entry),
      saveAnswers(otherDb, [answered(requestId)]),
    ]);

    expect(wakeups.length).toBe(waits ? 1 : 0);
    expect(await opened.work(turnId)).toMatchObject(waits ? { soon: true } : { lease_owner: runId });
  }
});
