import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createConversation } from '#core/checkpoint/conversations.ts';
import { deleteItems } from '#core/checkpoint/deletion/delete-items.ts';
import type { Trx } from '#core/checkpoint/tables.ts';
import { addItems } from '#core/checkpoint/turns/add-items.ts';
import { createTurn } from '#core/checkpoint/turns/create.ts';
import { endTurn } from '#core/checkpoint/turns/end.ts';
import { lockConversation, lockVisibleConversation } from '#core/checkpoint/turns/lock.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { listThread, loadHistory } from '#core/checkpoint/turns/reading/history.ts';
import { newId } from '#core/id.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { plainConfig } from '#test/harness/plain-config.ts';

const ROUNDS = 20;

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness[Symbol.asyncDispose]());

test('concurrent adds each get their own position, and the head stays free', async () => {
  const conversationId = await conversation();

  const ids = await Promise.all(Array.from({ length: 12 }, (_, index) => add(conversationId, `${index}`)));

  const turns = (await loadHistory(harness.db, conversationId)) ?? [];
  expect(new Set(turns.map(({ id }) => id))).toEqual(new Set(ids));
  expect(turns.map(({ position }) => position)).toEqual(ids.map((_, index) => index + 1));
  expect(turns.every(({ status, work }) => status === 'completed' && !work.atHead)).toBe(true);
  expect((await loadTurn(harness.db, await start(conversationId)))!.work.atHead).toBe(true);
});

test('a create concurrent to an add has the added items in its history, or is earlier', async () => {
  const orders = new Set<boolean>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const conversationId = await conversation();
    const acts = [() => start(conversationId), () => add(conversationId, 'Added.')];
    const made = await Promise.all((round % 2 === 0 ? acts : acts.reverse()).map((act) => act()));
    const [turnId, addedId] = round % 2 === 0 ? made : made.reverse();

    const turn = (await loadTurn(harness.db, turnId!))!;
    const history = ((await loadHistory(harness.db, conversationId, { before: turn.position })) ?? []).map(
      ({ id }) => id,
    );
    expect(history).toEqual(turn.position === 1 ? [] : [addedId]);
    expect(turn.work.atHead).toBe(true);
    orders.add(turn.position === 1);
  }
  expect(orders.size).toBe(2);
});

test('the end of a turn concurrent to an add promotes the next turn exactly once', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const conversationId = await conversation();
    const active = await start(conversationId);
    const waiting = await start(conversationId);
    const end = () => inTransaction((trx) => endTurn(trx, { turnId: active, conversationId, status: 'cancelled' }));

    const [wakeups] = await Promise.all([end(), add(conversationId, 'a'), add(conversationId, 'b')]);

    expect(wakeups).toMatchObject([{ kind: 'turn', turnId: waiting }]);
    expect((await loadTurn(harness.db, waiting))!.work.atHead).toBe(true);
  }
});

test('an add concurrent to the delete of its conversation leaves no row', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const conversationId = await conversation();
    const remove = () => harness.call('DELETE', `/openai/v1/conversations/${conversationId}`);
    const body = { items: [{ role: 'user', content: 'Hi' }] };
    const adding = () => harness.call('POST', `/openai/v1/conversations/${conversationId}/items`, { body });

    const answers = await Promise.all((round % 2 === 0 ? [adding, remove] : [remove, adding]).map((act) => act()));

    expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 404)).toEqual([]);
    expect(answers.at(round % 2 === 0 ? 1 : 0)!.status).toBe(200);
  }
  const { rows } = await sql`select from turns`.execute(harness.db);
  expect(rows).toHaveLength(0);
});

test('concurrent deletes of items in a turn delete all items, each once', async () => {
  const conversationId = await conversation();
  const id = await add(conversationId, 'a', 'b', 'c');
  const itemIds = [0, 1, 2].map((index) => `${id.replace('turn_', 'msg_')}_i${index}`);

  await Promise.all(itemIds.map((itemId) => inTransaction((trx) => deleteItems(trx, [itemId]))));
  const again = await add(conversationId, 'd');
  const path = `/openai/v1/conversations/${conversationId}/items/${again.replace('turn_', 'msg_')}_i0`;
  const answers = await Promise.all([1, 2, 3].map(() => harness.call('DELETE', path)));

  const { rows } = await listThread(harness.db, conversationId, { direction: 'asc', limit: 9 });
  const [row] = rows;
  expect([...row!.deletedItems].sort()).toEqual(itemIds);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
});

async function conversation(): Promise<string> {
  const id = newId('conv');
  await createConversation(harness.db, { id, project: 'default', config: {}, metadata: {} });
  return id;
}

function add(conversationId: string, ...said: string[]): Promise<string> {
  const input = said.map((content) => ({ role: 'user' as const, content }));
  return inTransaction(async (trx) => {
    const id = newId('turn');
    await lockVisibleConversation(trx, conversationId);
    await addItems(trx, { id, project: 'default', conversationId, input });
    return id;
  });
}

function start(conversationId: string): Promise<string> {
  return inTransaction(async (trx) => {
    await lockConversation(trx, conversationId);
    const turn = await createTurn(trx, {
      ...{ id: newId('turn'), conversationId, project: 'default', priority: 0, metadata: {} },
      ...{ config: plainConfig, input: [{ role: 'user', content: 'Hi' }] },
    });
    return turn.id;
  });
}

function inTransaction<T>(work: (trx: Trx) => Promise<T>): Promise<T> {
  return harness.db.transaction().execute(work);
}
