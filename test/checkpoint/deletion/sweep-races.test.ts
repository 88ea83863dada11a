import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eraseAged } from '#core/checkpoint/deletion/erase-aged.ts';
import { eraseExpired } from '#core/checkpoint/deletion/erase-expired.ts';
import { eraseUnused } from '#core/checkpoint/deletion/erase-unused.ts';
import { createTurn } from '#core/checkpoint/turns/create.ts';
import { lockVisibleConversation } from '#core/checkpoint/turns/lock.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { retryTurn } from '#core/checkpoint/turns/retry.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { age, count, endedTurn, exists, failing, inTransaction, newTurn, say } from './ended-turn.ts';

const ROUNDS = 12;

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness[Symbol.asyncDispose]());

test('a turn with a concurrent sweep and retry is erased or continues completely', async () => {
  const outcomes = new Set<number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const { id } = await endedTurn(harness, failing());
    await age(harness);
    const acts = [() => harness.call('POST', `/v1/turns/${id}/retry`), () => sweep()];
    if (round % 2 === 1) acts.reverse();
    const [answer] = (await Promise.all(acts.map((act) => act()))).filter((each) => 'status' in each);

    outcomes.add(answer!.status);
    expect([202, 404]).toContain(answer!.status);
    expect(await exists(harness, id)).toBe(answer!.status === 202);
    await harness.workUntilIdle();
    await age(harness);
    await sweep();
    expect(await count(harness, 'turns')).toBe(0);
  }
  expect(outcomes.size).toBeGreaterThan(0);
});

test('a sweep skips a turn that is being reopened or answered, and does not wait', async () => {
  const failed = await endedTurn(harness, failing());
  await age(harness);
  const locked = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const retrying = inTransaction(harness, async (trx) => {
    await lockVisibleConversation(trx, failed.conversation_id);
    locked.resolve();
    await mayCommit.promise;
    await retryTurn(trx, { project: 'default', turnId: failed.id, needsSlot: false });
  });

  await locked.promise;
  const passed = await sweep();
  mayCommit.resolve();
  await retrying;
  const later = await sweep();

  expect([passed.turnIds, later.turnIds]).toEqual([[], []]);
  expect((await loadTurn(harness.db, failed.id))?.status).toBe('in_progress');
});

test('a sweep never erases a turn during the answer of its caller', async () => {
  const input = scripted({
    rounds: [{ tools: [{ name: 'locate_user', arguments: {}, id: 'call_1' }] }],
    answer: 'Here.',
  });
  const tools = [{ name: 'locate_user', description: 'Asks the device where the user is' }];
  for (let round = 0; round < ROUNDS / 2; round += 1) {
    const turn = await endedTurn(harness, { input, tools });
    await age(harness);
    const answer = { tool_outputs: [{ tool_call_id: 'call_1', output: 'here' }] };
    const [answered] = await Promise.all([
      harness.call('POST', `/v1/turns/${turn.id}/tool_outputs`, { body: answer }),
      sweep(),
    ]);
    await harness.workUntilIdle();

    expect(answered.status).toBe(200);
    expect((await harness.findTurn(turn.id)).status).toBe('completed');
  }
});

test('a delivery with a concurrent sweep and redelivery is sent again or erased', async () => {
  for (let round = 0; round < ROUNDS / 2; round += 1) {
    const turn = await endedTurn(harness, { input: 'Hi', webhook: { url: 'http://127.0.0.1:9/' } });
    const { body } = await harness.call<{ data: { id: string }[] }>('GET', `/v1/turns/${turn.id}/deliveries`);
    await age(harness);
    const [answer] = await Promise.all([harness.call('POST', `/v1/deliveries/${body.data[0]!.id}/redeliver`), sweep()]);
    await harness.workUntilIdle();
    await sweep();

    expect([202, 404]).toContain(answer.status);
    expect([
      await count(harness, 'turns'),
      await count(harness, 'deliveries'),
      await count(harness, 'delivery_attempts'),
    ]).toEqual([0, 0, 0]);
  }
});

test('a conversation with a concurrent expiry and next turn continues or is erased', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const body = { model: 'openai/test', expires_in_seconds: 60 };
    const { body: created } = await harness.call<{ id: string }>('POST', '/v1/conversations', { body });
    await age(harness);
    const acts = [() => say(harness, { conversation_id: created.id }), () => eraseExpired(harness.db)];
    if (round % 2 === 1) acts.reverse();
    const [answer] = (await Promise.all(acts.map((act) => act()))).filter((each) => 'status' in each);

    expect([202, 404]).toContain(answer!.status);
    expect(await count(harness, 'conversations')).toBe(answer!.status === 202 ? 1 : 0);
    await sql`delete from conversations`.execute(harness.db);
  }
});

test('a conversation that gets its first turn during a sweep keeps it', async () => {
  const { body: created } = await harness.call<{ id: string }>('POST', '/v1/conversations', {
    body: { model: 'openai/test' },
  });
  await age(harness);
  const locked = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const starting = inTransaction(harness, async (trx) => {
    await lockVisibleConversation(trx, created.id);
    locked.resolve();
    await mayCommit.promise;
    return createTurn(trx, { ...newTurn(), conversationId: created.id });
  });

  await locked.promise;
  const passed = await eraseUnused(harness.db, { project: 'default', days: 7, after: '' });
  mayCommit.resolve();
  const { id } = await starting;
  const later = await eraseUnused(harness.db, { project: 'default', days: 7, after: '' });

  expect([passed.conversationIds, later.conversationIds]).toEqual([[], []]);
  expect(await exists(harness, id)).toBe(true);
});

function sweep() {
  return eraseAged(harness.db, { project: 'default', days: 7, after: '' });
}
