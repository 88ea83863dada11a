import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eraseHidden } from '#core/checkpoint/deletion/erase-hidden.ts';
import { hideTurn } from '#core/checkpoint/deletion/hide.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { loadHistory } from '#core/checkpoint/turns/reading/history.ts';
import { eraseAllHidden } from '#services/worker/routines/erase-hidden.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { fork, startAlone } from '#test/harness/hidden-turns.ts';
import { scripted } from '#test/harness/scripted.ts';
import { dumpTables } from '#test/harness/stores/dump-tables.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness[Symbol.asyncDispose]());

test('a deleted turn without dependents leaves no text in any table', async () => {
  const key = { 'idempotency-key': 'once' };
  const execution = { kind: 'http', url: 'http://127.0.0.1:9/purple' };
  const script = scripted({
    rounds: [{ say: 'purple', tools: [{ name: 'look', arguments: { of: 'purple' } }] }],
    answer: 'purple',
  });
  const body = {
    ...{ model: 'openai/test', input: script, instructions: 'purple', metadata: { of: 'purple' } },
    ...{
      tools: [
        {
          name: 'look',
          description: 'Looks at purple things',
          execution,
          effect: 'idempotent',
          retry: { max_attempts: 1 },
        },
      ],
    },
    webhook: { url: 'http://127.0.0.1:9/purple' },
  };
  const started = await harness.call<{ id: string }>('POST', `/v1/conversations/${await newConversation()}/turns`, {
    body,
    headers: key,
  });
  expect(started.body).toMatchObject({ status: 'queued' });
  await harness.workUntilIdle();
  expect(await dumpTables(harness.db)).toContain('purple');

  await hide(started.body.id);
  await eraseAllHidden(harness.worker);

  expect(await dumpTables(harness.db)).not.toContain('purple');
  expect(await count('idempotency_keys')).toBe(0);
  expect(await loadTurn(harness.db, started.body.id)).toBeUndefined();
});

test('a deleted turn stays in its dependents’ history, and is erased with the last', async () => {
  const [first, second, third] = await turnsOf(['first', 'second', 'third']);

  await hide(first!);
  await eraseAllHidden(harness.worker);
  const kept = await historyOf(third!);
  await hide(third!);
  await eraseAllHidden(harness.worker);
  const without = await historyOf(second!);
  await hide(second!);
  await eraseAllHidden(harness.worker);

  expect(kept).toEqual([first, second]);
  expect(without).toEqual([first]);
  expect(await count('turns')).toBe(0);
  expect(await count('conversations')).toBe(1);
});

test('a turn that was deleted before a later turn began is not in its history', async () => {
  const [first, second] = await turnsOf(['first', 'second']);
  const { conversationId } = (await loadTurn(harness.db, second!))!;

  await hide(second!);
  const [third] = await turnsOf(['third'], conversationId);
  const before = await historyOf(third!);
  await eraseAllHidden(harness.worker);

  const behind = await fork(harness, third!);
  expect(await historyOf(behind)).toEqual([first, third]);
  expect(before).toEqual([first]);
  expect(await historyOf(third!)).toEqual([first]);
  expect(await loadTurn(harness.db, second!)).toBeUndefined();
});

test('nested forks keep their base turns, and the last fork erases all', async () => {
  const [origin] = await turnsOf(['origin']);
  const thread = [origin!];
  for (let depth = 0; depth < 4; depth += 1) thread.push(await fork(harness, thread.at(-1)!));
  await harness.workUntilIdle();

  for (const id of thread.slice(0, -1)) await hide(id);
  await eraseAllHidden(harness.worker);
  const kept = await count('turns');
  await hide(thread.at(-1)!);
  await eraseAllHidden(harness.worker);

  expect(kept).toBe(thread.length);
  expect(await count('turns')).toBe(0);
});

test('a fork keeps a turn that was deleted later, and its conversation does not', async () => {
  const [first, second] = await turnsOf(['first', 'second']);
  const { conversationId } = (await loadTurn(harness.db, first!))!;
  const forked = await fork(harness, second!);
  await harness.workUntilIdle();

  await hide(second!);
  const [third] = await turnsOf(['third'], conversationId);
  await eraseAllHidden(harness.worker);

  expect(await historyOf(forked)).toEqual([first, second]);
  expect(await historyOf(third!)).toEqual([first]);
});

test('a turn after the fork point is erased, and the turns before it stay', async () => {
  const [first, second, third] = await turnsOf(['first', 'second', 'third']);
  await fork(harness, second!);
  await harness.workUntilIdle();

  for (const id of [third!, second!, first!]) await hide(id);
  await eraseAllHidden(harness.worker);

  expect(await Promise.all([first!, second!, third!].map(exists))).toEqual([true, true, false]);
});

test('a deleted conversation with forks is hidden, and erased after its forks', async () => {
  const [first, second] = await turnsOf(['first', 'second']);
  const { conversationId } = (await loadTurn(harness.db, first!))!;
  const forked = await fork(harness, first!);
  await harness.workUntilIdle();

  const deleted = await harness.call('DELETE', `/v1/conversations/${conversationId}`);
  const again = await harness.call('DELETE', `/v1/conversations/${conversationId}`);
  const next = await harness.call('POST', `/v1/conversations/${conversationId}/turns`, { body: { input: 'Hi' } });
  await eraseAllHidden(harness.worker);
  const left = await Promise.all([first!, second!].map(exists));
  await hide(forked);
  await eraseAllHidden(harness.worker);

  expect([deleted, again, next].map(({ status }) => status)).toEqual([204, 404, 404]);
  expect(left).toEqual([true, false]);
  expect([await count('turns'), await count('conversations')]).toEqual([0, 0]);
});

test('a turn that is not stored is erased soon after its end, and not before', async () => {
  const id = await startAlone(harness, { input: 'orange', stored: false });

  await eraseAllHidden(harness.worker);
  await harness.workUntilIdle();
  await eraseAllHidden(harness.worker);
  const waitedFor = await loadTurn(harness.db, id);
  await passSinceEnd(40_000);
  await eraseAllHidden(harness.worker);

  expect(waitedFor?.status).toBe('completed');
  expect(await dumpTables(harness.db)).not.toContain('orange');
  expect(await count('conversations')).toBe(0);
});

test('a turn that is not stored keeps its base turns until it is erased', async () => {
  const [origin] = await turnsOf(['origin']);
  const standing = await startAlone(harness, { stored: false, forkedFrom: origin! });
  const seen = await historyOf(standing);

  await hide(origin!);
  await eraseAllHidden(harness.worker);
  const kept = await exists(origin!);
  await harness.workUntilIdle();
  await passSinceEnd(40_000);
  await eraseAllHidden(harness.worker);

  expect(seen).toEqual([origin]);
  expect(kept).toBe(true);
  expect([await count('turns'), await count('conversations')]).toEqual([0, 1]);
});

test('turns beyond the size of a batch are erased in several batches', async () => {
  const [first] = await turnsOf(['first']);
  await sql`insert into turns (id, project, conversation_id, position, priority, config, input, metadata, status,
      output, completed_at, hidden_at, history_until)
    select 'turn_' || n, project, conversation_id, n, priority, config, input, metadata, status, '', now(), now(), 1300
    from turns, generate_series(2, 1300) as n where id = ${first}`.execute(harness.db);
  await sql`update conversations set turns = 1300, erase_due_at = now()`.execute(harness.db);

  await eraseHidden(harness.db, 100);
  const afterOne = await count('turns');
  await eraseAllHidden(harness.worker);

  expect(afterOne).toBe(800);
  expect(await count('turns')).toBe(1);
});

async function newConversation(): Promise<string> {
  const { body } = await harness.call<{ id: string }>('POST', '/v1/conversations', { body: { model: 'openai/test' } });
  return body.id;
}

async function turnsOf(inputs: string[], conversationId?: string): Promise<string[]> {
  const id = conversationId ?? (await newConversation());
  const ids: string[] = [];
  for (const input of inputs) {
    const { body } = await harness.call<{ id: string }>('POST', `/v1/conversations/${id}/turns`, { body: { input } });
    ids.push(body.id);
  }
  await harness.workUntilIdle();
  return ids;
}

function hide(id: string) {
  return harness.db.transaction().execute((trx) => hideTurn(trx, 'default', id));
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

async function count(table: 'turns' | 'conversations' | 'idempotency_keys'): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from ${sql.table(table)}`.execute(
    harness.db,
  );
  return rows[0]!.count;
}

/** Lets time pass, also for ended turns. */
async function passSinceEnd(ms: number): Promise<void> {
  await harness.advance(ms);
  await sql`update turns set completed_at = completed_at - ${ms} * interval '1 millisecond' where not stored`.execute(
    harness.db,
  );
}
