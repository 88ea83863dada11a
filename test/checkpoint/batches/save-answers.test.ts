import { sql } from 'kysely';
import { expect } from 'vitest';
import { readAnswers } from '#core/checkpoint/batches/read-answers.ts';
import { saveAnswers } from '#core/checkpoint/batches/save-answers.ts';
import { saveWithAnswers } from '#core/checkpoint/batches/save-with-answers.ts';
import { settleAnswers } from '#core/checkpoint/batches/settle-answers.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { takeLease } from '#core/checkpoint/turns/lease.ts';
import { postponeStep } from '#core/checkpoint/turns/postpone.ts';
import { selectTurn } from '#core/checkpoint/turns/reading/select.ts';
import { saveInvalidAnswer } from '#core/checkpoint/turns/save-round.ts';
import { newId } from '#core/id.ts';
import { waitingOf } from '#core/turn/resource/waiting.ts';
import { answered, test } from './open-batches.ts';

const REPLY = { text: 'So.', calls: [], finishReason: 'stop' as const, finishReasonRaw: null, opaque: null };

/** Saves the first round of a turn. */
const saveFirst = (db: Db, turnId: string, requestId: string) =>
  saveInvalidAnswer(db, {
    ...{ turnId, number: 1, model: 'openai/test', draft: 0, requests: 1, attempts: 1, inputsSent: 0, startedAt: 0 },
    ...{
      warnings: [],
      webhook: null,
      violations: [],
      basedOn: null,
      reply: { ...REPLY, usage: answered(requestId).usage },
    },
  });

test('an answer is stored once and wakes its turn once', async ({ opened }) => {
  const { db, otherDb } = opened;
  const { turnId, requestId } = await opened.enter();
  await opened.sendOne();
  const answer = answered(requestId);

  const saved = await Promise.all([db, otherDb, db].map((each) => saveAnswers(each, [answer, answer])));

  const wakeups = saved.flatMap((each) => each.wakeups);
  expect(wakeups).toMatchObject([{ kind: 'turn', turnId, step: 'r1', generation: 2, provider: 'openai' }]);
  expect(saved.flatMap(({ late }) => late)).toEqual([]);
  expect(await opened.work(turnId)).toMatchObject({ generation: 2, soon: true });
  expect(waitingOf((await selectTurn(db, turnId, 'any'))!)?.for).toBe('slot');
  expect(await readAnswers(db, [requestId])).toEqual([answer.answer]);
  expect(await opened.usage()).toEqual([]);
});

test('an answer with any text is read as it was stored', async ({ opened }) => {
  const { requestId } = await opened.enter();
  await opened.sendOne();
  const text = JSON.stringify({ nul: '\0', half: '\ud800', quote: '"\\' });

  await saveAnswers(opened.db, [{ ...answered(requestId), answer: { kind: 'answered', status: 200, text } }]);

  expect(await readAnswers(opened.db, [requestId])).toEqual([{ kind: 'answered', status: 200, text }]);
});

test('answers of many turns are stored together, and each turn is woken', async ({ opened }) => {
  const entered = [];
  for (let nth = 0; nth < 5; nth += 1) entered.push(await opened.enter());
  await opened.sendOne();
  const [expired, ...others] = entered;

  const { wakeups } = await saveAnswers(opened.db, [
    { id: expired!.requestId, answer: { kind: 'expired' }, usage: null },
    ...others.map(({ requestId }) => answered(requestId)),
    answered(newId('req')),
  ]);

  expect(wakeups.map(({ turnId }) => turnId).toSorted()).toEqual(entered.map(({ turnId }) => turnId).toSorted());
  expect(await readAnswers(opened.db, [expired!.requestId])).toEqual([{ kind: 'expired' }]);
});

test('a turn without a slot requests its slot again when its answer is stored', async ({ opened }) => {
  const { turnId, requestId } = await opened.enter({ slot: 'held' });
  await opened.sendOne();

  const { wakeups } = await saveAnswers(opened.db, [answered(requestId)]);

  expect(wakeups).toEqual([]);
  expect(await opened.work(turnId)).toMatchObject({ slot: 'wanted', never: true });
});

test('a run with the lease keeps its lease, and the answer waits for it', async ({ opened }) => {
  const { db } = opened;
  const { turnId, requestId, runId } = await opened.enter({ delayMs: 0 });
  await opened.sendOne();
  const leased = await takeLease(db, (await selectTurn(db, turnId, 'any'))!, runId);

  const { wakeups } = await saveAnswers(db, [answered(requestId)]);

  expect(leased?.background?.responses).toEqual([requestId]);
  expect(wakeups).toEqual([]);
  expect(await opened.work(turnId)).toMatchObject({ lease_owner: runId, generation: 1 });
  expect(await readAnswers(db, [requestId])).not.toEqual([null]);
});

test('an answer to a cancelled turn is counted as late usage, once', async ({ opened }) => {
  const { db, otherDb } = opened;
  const { turnId, requestId } = await opened.enter();
  await opened.sendOne();
  await opened.cancel(turnId);
  const answer = answered(requestId, 7);

  const saved = await Promise.all([db, otherDb].map((each) => saveAnswers(each, [answer])));

  const late = { id: requestId, turnId, project: 'default', model: 'openai/test', usage: answer.usage };
  expect(saved.flatMap((each) => each.late)).toEqual([late]);
  expect(await opened.usage()).toEqual([{ rounds: 0, output_tokens: 7, cost_usd: 0.5 }]);
  expect([await opened.requests(), await settleAnswers(db, 10)]).toEqual([[], []]);
});

test('a stored answer of a turn that is then cancelled is counted as late usage, once', async ({ opened }) => {
  const { db, otherDb } = opened;
  const { turnId, requestId } = await opened.enter();
  const awaited = await opened.enter();
  await opened.sendOne();
  await saveAnswers(db, [answered(requestId, 7), answered(awaited.requestId, 8)]);
  await opened.cancel(turnId);

  const settled = await Promise.all([settleAnswers(db, 10), settleAnswers(otherDb, 10)]);

  expect(settled.flat()).toMatchObject([{ id: requestId, turnId, usage: { output_tokens: 7, cost_usd: 0.5 } }]);
  expect(await opened.usage()).toEqual([{ rounds: 0, output_tokens: 7, cost_usd: 0.5 }]);
  expect(await opened.requests()).toMatchObject([{ id: awaited.requestId, state: 'answered' }]);
  expect(await readAnswers(db, [requestId, awaited.requestId])).toMatchObject([null, { kind: 'answered' }]);
});

test('a late answer without usage, or without a known price, is counted as such', async ({ opened }) => {
  const { db } = opened;
  const [one, other] = [await opened.enter(), await opened.enter()];
  await opened.sendOne();
  for (const { turnId } of [one, other]) await opened.cancel(turnId);
  const answer = answered(other.requestId, 9);

  const { late } = await saveAnswers(db, [
    { id: one.requestId, answer: { kind: 'cancelled' }, usage: null },
    { ...answer, usage: { ...answer.usage, cost_usd: null } },
  ]);

  const { rows } = await sql`
    select output_tokens::int, unpriced::int from usage_records where rounds = 0 and turns = 0`.execute(db);
  expect(late).toHaveLength(2);
  expect(rows).toEqual([{ output_tokens: 9, unpriced: 1 }]);
});

test('an answer that its round has dropped for another tier is counted as late usage', async ({ opened }) => {
  const { db } = opened;
  const { turnId, requestId, runId } = await opened.enter({ delayMs: 0 });
  await opened.sendOne();
  await takeLease(db, (await selectTurn(db, turnId, 'any'))!, runId);
  await postponeStep(db, {
    ...{ turnId, step: 'r1', generation: 1, runId, called: [], delayMs: 0, attempt: false, rateLimited: false },
    ...{ waitedMs: 0, tier: 'default', dropped: [requestId], eventData: {} },
  });

  const { late, wakeups } = await saveAnswers(db, [answered(requestId, 7)]);

  expect([late.length, wakeups.length]).toEqual([1, 0]);
  expect((await selectTurn(db, turnId, 'any'))?.work.background).toBe(null);
});

test('a round that uses its answers removes them in its commit, and is saved once', async ({ opened }) => {
  const { db, otherDb } = opened;
  const { turnId, requestId } = await opened.enter();
  await opened.sendOne();
  await saveAnswers(db, [answered(requestId, 7)]);

  const saved = await Promise.all(
    [db, otherDb].map((each) => saveWithAnswers(each, [requestId], (trx) => saveFirst(trx, turnId, requestId))),
  );

  expect(saved.filter((each) => each !== null)).toHaveLength(1);
  expect([await opened.requests(), await readAnswers(db, [requestId])]).toEqual([[], [null]]);
  expect((await selectTurn(db, turnId, 'any'))?.rounds).toHaveLength(1);
  expect(await settleAnswers(db, 10)).toEqual([]);
});

test('a round is not saved without all its answers, and unused answers stay', async ({ opened }) => {
  const { db } = opened;
  const { turnId, requestId } = await opened.enter();
  await opened.sendOne();
  const save = (trx: Db) => saveFirst(trx, turnId, requestId);

  const early = await saveWithAnswers(db, [requestId], save);
  await saveAnswers(db, [answered(requestId)]);
  const refused = await saveWithAnswers(db, [requestId], async () => null);
  const other = await saveWithAnswers(db, [requestId, newId('req')], save);

  expect([early, refused, other]).toEqual([null, null, null]);
  expect((await selectTurn(db, turnId, 'any'))?.rounds).toEqual([]);
  expect(await readAnswers(db, [requestId])).toMatchObject([{ kind: 'answered' }]);
  expect(await saveWithAnswers(db, [requestId], save)).not.toBe(null);
});

test('a request without a batch is removed an hour after its turn was cancelled', async ({ opened }) => {
  const { db } = opened;
  const [one, other] = [await opened.enter(), await opened.enter()];
  await opened.cancel(one.turnId);

  const soon = await settleAnswers(db, 10);
  const before = await opened.requests();
  await opened.age(3_600_001);
  const late = await settleAnswers(db, 10);

  expect([soon, late]).toEqual([[], []]);
  expect(before).toHaveLength(2);
  expect(await opened.requests()).toMatchObject([{ id: other.requestId }]);
});
