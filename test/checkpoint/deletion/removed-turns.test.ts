import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deleteConversation } from '#core/checkpoint/deletion/delete-conversation.ts';
import { deleteTurn } from '#core/checkpoint/deletion/delete-turn.ts';
import { hideTurn } from '#core/checkpoint/deletion/hide.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { loadHistory } from '#core/checkpoint/turns/reading/history.ts';
import { eraseAllHidden } from '#services/worker/routines/erase-hidden.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { fork, startAlone } from '#test/harness/hidden-turns.ts';
import { dumpTables } from '#test/harness/stores/dump-tables.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness[Symbol.asyncDispose]());

test('a fork from before keeps a deleted turn, and a later fork is sent without it', async () => {
  const [first, second] = await turnsOf(['first', 'second']);
  const before = await fork(harness, second!);
  await harness.workUntilIdle();

  await remove(first!);
  const [third] = await turnsOf(['third'], await conversationOf(second!));
  const after = await fork(harness, second!);
  const behind = await fork(harness, before);
  await harness.workUntilIdle();

  expect(await historyOf(before)).toEqual([first, second]);
  expect(await historyOf(behind)).toEqual([first, second, before]);
  expect(await historyOf(after)).toEqual([second]);
  expect(await historyOf(third!)).toEqual([second]);
  expect(await harness.call('GET', `/v1/turns/${first}`)).toMatchObject({ status: 404 });
});

test('turns that forks keep are deleted with the last fork, along a chain of forks', async () => {
  const [origin] = await turnsOf(['purple']);
  const middle = await fork(harness, origin!);
  await harness.workUntilIdle();
  const last = await fork(harness, middle);
  const other = await fork(harness, origin!);
  await harness.workUntilIdle();

  for (const id of [origin!, middle, other]) await remove(id);
  const kept = await Promise.all([origin!, middle, other].map(exists));
  const dump = await dumpTables(harness.db);
  await remove(last);

  expect(kept).toEqual([true, true, false]);
  expect(dump).toContain('purple');
  expect(await dumpTables(harness.db)).not.toContain('purple');
  expect([await count('turns'), await count('conversations')]).toEqual([0, 1]);
});

test('a fork that is deleted with its conversation frees its base turns at once', async () => {
  const [origin] = await turnsOf(['purple']);
  const forked = await fork(harness, origin!);
  await harness.workUntilIdle();

  await inTransaction((trx) => deleteConversation(trx, 'default', originConversation));
  const kept = await exists(origin!);
  const deleted = await harness.call('DELETE', `/v1/conversations/${await conversationOf(forked)}`);

  expect([kept, deleted.status]).toEqual([true, 204]);
  expect(await count('turns')).toBe(0);
  expect(await dumpTables(harness.db)).not.toContain('purple');
});

test('a deleted response is erased in the commit that erases its last fork', async () => {
  const [origin] = await turnsOf(['origin']);
  const forked = await fork(harness, origin!);
  await harness.workUntilIdle();

  await inTransaction((trx) => hideTurn(trx, 'default', origin!));
  await remove(forked);

  expect(await exists(origin!)).toBe(false);
});

test('a deleted turn is also erased with a fork that is not stored', async () => {
  const [origin] = await turnsOf(['origin']);
  await startAlone(harness, { stored: false, forkedFrom: origin! });

  await remove(origin!);
  const kept = await exists(origin!);
  await harness.workUntilIdle();
  await sql`update turns set completed_at = completed_at - interval '1 minute'`.execute(harness.db);
  await harness.advance(60_000);
  await eraseAllHidden(harness.worker);

  expect(kept).toBe(true);
  expect(await count('turns')).toBe(0);
});

test('a response that was deleted before is erased with the last dependent turn', async () => {
  const [first, second] = await turnsOf(['first', 'second']);

  await inTransaction((trx) => hideTurn(trx, 'default', first!));
  await eraseAllHidden(harness.worker);
  const kept = await exists(first!);
  await remove(second!);

  expect(kept).toBe(true);
  expect(await count('turns')).toBe(0);
});

test('the deliveries of a turn that forks keep are deleted at once', async () => {
  const origin = await startAlone(harness, {
    webhook: { url: 'http://127.0.0.1:9/', events: ['turn.completed'], include: [] },
  });
  await harness.workUntilIdle();
  await fork(harness, origin);

  const before = await count('deliveries');
  await remove(origin);

  expect([before, await count('deliveries')]).toEqual([1, 0]);
});

let originConversation: string;

async function turnsOf(inputs: string[], conversationId?: string): Promise<string[]> {
  const created = { body: { model: 'openai/test' } };
  const id = conversationId ?? (await harness.call<{ id: string }>('POST', '/v1/conversations', created)).body.id;
  originConversation = id;
  const ids: string[] = [];
  for (const input of inputs) {
    const { body } = await harness.call<{ id: string }>('POST', `/v1/conversations/${id}/turns`, { body: { input } });
    ids.push(body.id);
  }
  await harness.workUntilIdle();
  return ids;
}

function inTransaction<T>(act: Parameters<ReturnType<Harness['db']['transaction']>['execute']>[0]): Promise<T> {
  return harness.db.transaction().execute(act) as Promise<T>;
}

function remove(id: string) {
  return inTransaction((trx) => deleteTurn(trx, 'default', id));
}

async function conversationOf(id: string): Promise<string> {
  return (await loadTurn(harness.db, id))!.conversationId;
}

async function historyOf(id: string): Promise<string[]> {
  const turn = (await loadTurn(harness.db, id))!;
  return ((await loadHistory(harness.db, turn.conversationId, { before: turn.position })) ?? []).map(
    (earlier) => earlier.id,
  );
}

async function exists(id: string): Promise<boolean> {
  return (await loadTurn(harness.db, id)) !== undefined;
}

async function count(table: 'turns' | 'conversations' | 'deliveries'): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from ${sql.table(table)}`.execute(
    harness.db,
  );
  return rows[0]!.count;
}
