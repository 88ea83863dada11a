import { expect, test } from 'vitest';
import { saveAnswers } from '#core/checkpoint/batches/save-answers.ts';
import { settleAnswers } from '#core/checkpoint/batches/settle-answers.ts';
import { deleteConversation } from '#core/checkpoint/deletion/delete-conversation.ts';
import { deleteTurn } from '#core/checkpoint/deletion/delete-turn.ts';
import { eraseAged } from '#core/checkpoint/deletion/erase-aged.ts';
import { eraseHidden } from '#core/checkpoint/deletion/erase-hidden.ts';
import { hideConversation, hideTurn } from '#core/checkpoint/deletion/hide.ts';
import type { Db, Trx } from '#core/checkpoint/tables.ts';
import { createFirstTurn } from '#core/checkpoint/turns/create.ts';
import { lockConversation } from '#core/checkpoint/turns/lock.ts';
import { selectTurn } from '#core/checkpoint/turns/reading/select.ts';
import { newId } from '#core/id.ts';
import { plainConfig } from '#test/harness/plain-config.ts';
import { dumpTables } from '#test/harness/stores/dump-tables.ts';
import { answered, openBatches } from './open-batches.ts';

const MARK = 'purple';

type Turn = { id: string; conversationId: string };

const inTrx =
  <T>(act: (trx: Trx, turn: Turn) => Promise<T>) =>
  (db: Db, turn: Turn) =>
    db.transaction().execute((trx) => act(trx, turn));

/** Adds a fork that depends on the turn. */
async function fork(db: Db, { id }: Turn): Promise<void> {
  await createFirstTurn(
    db,
    {
      ...{ id: newId('turn'), conversationId: newId('conv'), project: 'default', priority: 0, metadata: {} },
      ...{ config: plainConfig, input: [{ role: 'user', content: 'Hi' }] },
    },
    { config: { model: 'openai/test' }, metadata: {}, forkedFrom: { turnId: id, position: 1 } },
  );
}

const deleteIt = inTrx((trx, { id }) => deleteTurn(trx, 'default', id));

const DELETIONS: [string, (db: Db, turn: Turn) => Promise<unknown>][] = [
  ['is deleted', deleteIt],
  ['is deleted with its conversation', inTrx((trx, turn) => deleteConversation(trx, 'default', turn.conversationId))],
  [
    'is deleted but kept by a fork',
    async (db, turn) => {
      await fork(db, turn);
      await deleteIt(db, turn);
    },
  ],
  ['is hidden as a response', inTrx((trx, { id }) => hideTurn(trx, 'default', id))],
  [
    'is hidden with its conversation',
    inTrx(async (trx, { conversationId }) => {
      await lockConversation(trx, conversationId);
      await hideConversation(trx, conversationId);
    }),
  ],
  [
    'is hidden and erased',
    async (db, turn) => {
      await inTrx((trx, { id }) => hideTurn(trx, 'default', id))(db, turn);
      await eraseHidden(db, 10);
    },
  ],
  ['is erased by its age', (db) => eraseAged(db, { project: 'default', days: 0, after: '' })],
];

test.each(DELETIONS)('a turn that %s leaves no answer of a batch, and its usage is counted', async (_, remove) => {
  await using opened = await openBatches();
  const { db } = opened;
  const { turnId, requestId } = await opened.enter();
  await opened.sendOne();
  const { usage } = answered(requestId, 7);
  await saveAnswers(db, [{ id: requestId, answer: { kind: 'answered', status: 200, text: MARK }, usage }]);
  await opened.cancel(turnId);
  const turn = (await selectTurn(db, turnId, 'any'))!;
  const before = await dumpTables(db);

  await remove(db, turn);

  const after = await dumpTables(db);
  expect([before.includes(MARK), after.includes(MARK)]).toEqual([true, false]);
  expect(await opened.requests()).toMatchObject([{ id: requestId, state: 'answered' }]);
  expect(await settleAnswers(db, 10)).toMatchObject([{ id: requestId, turnId }]);
  expect(await opened.usage()).toEqual([{ rounds: 0, output_tokens: 7, cost_usd: 0.5 }]);
});

test('a turn that is hidden while its round waits leaves no answer of a batch', async () => {
  await using opened = await openBatches();
  const { db } = opened;
  const { turnId, requestId } = await opened.enter();
  await opened.sendOne();
  const { usage } = answered(requestId, 7);
  await saveAnswers(db, [{ id: requestId, answer: { kind: 'answered', status: 200, text: MARK }, usage }]);

  await db.transaction().execute((trx) => hideTurn(trx, 'default', turnId));

  expect(await dumpTables(db)).not.toContain(MARK);
  expect(await settleAnswers(db, 10)).toMatchObject([{ id: requestId }]);
});

test('an answer that arrives after its turn is deleted is counted and leaves no text', async () => {
  await using opened = await openBatches();
  const { db } = opened;
  const { turnId, requestId } = await opened.enter();
  await opened.sendOne();
  await opened.cancel(turnId);
  await db.transaction().execute((trx) => deleteTurn(trx, 'default', turnId));
  const { usage } = answered(requestId, 7);

  const { late } = await saveAnswers(db, [
    { id: requestId, answer: { kind: 'answered', status: 200, text: MARK }, usage },
  ]);

  expect(late).toMatchObject([{ id: requestId, turnId, project: 'default' }]);
  expect(await dumpTables(db)).not.toContain(MARK);
  expect(await opened.usage()).toEqual([{ rounds: 0, output_tokens: 7, cost_usd: 0.5 }]);
});
