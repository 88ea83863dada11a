import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deleteItems } from '#core/checkpoint/deletion/delete-items.ts';
import { deleteTurn } from '#core/checkpoint/deletion/delete-turn.ts';
import type { Trx } from '#core/checkpoint/tables.ts';
import { saveCompaction } from '#core/checkpoint/turns/compaction/save-compaction.ts';
import { createFirstTurn } from '#core/checkpoint/turns/create.ts';
import { lockVisibleConversation } from '#core/checkpoint/turns/lock.ts';
import { findTurn } from '#core/checkpoint/turns/reading/find.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { dumpTables } from '#test/harness/stores/dump-tables.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { count, endedTurn, exists, historyOf, inTransaction, newTurn, say } from './ended-turn.ts';

const ROUNDS = 12;

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness[Symbol.asyncDispose]());

test('a fork concurrent to a delete has its full history or is refused', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const origin = await endedTurn(harness);
    const acts = [() => inTransaction(harness, (trx) => forkOf(trx, origin.id)), () => remove(origin.id)];
    if (round % 2 === 1) acts.reverse();
    const results = await Promise.all(acts.map((act) => act()));
    const forked = results[round % 2];

    expect(results[1 - (round % 2)]).toBe('deleted');
    expect(await exists(harness, origin.id)).toBe(forked !== null);
    if (typeof forked !== 'string') continue;
    expect(await historyOf(harness, forked)).toEqual([origin.id]);
    await harness.call('POST', `/v1/turns/${forked}/cancel`);
    await remove(forked);
    expect(await exists(harness, origin.id)).toBe(false);
  }
});

test('a next turn concurrent to a delete starts without the deleted turn', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = await endedTurn(harness);
    const acts = [() => say(harness, first), () => harness.call('DELETE', `/v1/turns/${first.id}`)];
    if (round % 2 === 1) acts.reverse();
    const statuses = (await Promise.all(acts.map((act) => act()))).map(({ status }) => status);

    expect(statuses.sort()).toEqual([202, 204]);
    const { rows } = await sql<{
      id: string;
    }>`select id from turns where conversation_id = ${first.conversation_id}`.execute(harness.db);
    expect(rows).toHaveLength(1);
    expect(await historyOf(harness, rows[0]!.id)).toEqual([]);
  }
});

test('a repeated key concurrent to a delete never starts a second turn', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const request = { body: { model: 'openai/test', input: 'Hi' }, headers: { 'idempotency-key': `key-${round}` } };
    const { body: first } = await harness.call<TurnResource>('POST', '/v1/turns', request);
    await harness.workUntilIdle();
    const acts = [
      () => harness.call('POST', '/v1/turns', request),
      () => harness.call('DELETE', `/v1/turns/${first.id}`),
    ];
    if (round % 2 === 1) acts.reverse();
    const answers = await Promise.all(acts.map((act) => act()));

    expect([202, 404]).toContain(answers[round % 2]!.status);
    expect(answers[1 - (round % 2)]!.status).toBe(204);
    expect(await count(harness, 'turns')).toBe(0);
  }
});

test('of several concurrent deletes of a turn, exactly one succeeds', async () => {
  const { id } = await endedTurn(harness);

  const outcomes = await Promise.all([1, 2, 3, 4].map(() => remove(id)));

  expect(outcomes.sort()).toEqual(['deleted', 'missing', 'missing', 'missing']);
});

test('a summary saved during the delete of its turn is not kept, in both commit orders', async () => {
  for (const isSavedFirst of [true, false]) {
    const first = await endedTurn(harness, { input: 'purple' });
    const next = await beginNext(first);

    const save = (trx: Trx) => summarize(trx, { covered: first.id, next });
    const remove = (trx: Trx) => deleteTurn(trx, 'default', first.id);
    await oneBehindTheOther(isSavedFirst ? [save, remove] : [remove, save]);

    expect(await count(harness, 'compactions')).toBeGreaterThan(0);
    expect(await dumpTables(harness.db)).not.toContain('purple');
  }
});

test('a summary saved during the delete of an item is not kept, in both commit orders', async () => {
  for (const isSavedFirst of [true, false]) {
    const next = await beginNext(await endedTurn(harness));

    const save = (trx: Trx) => summarize(trx, { covered: next, next });
    const remove = (trx: Trx) => deleteItems(trx, [`msg_${next.slice('turn_'.length)}_i0`]);
    await oneBehindTheOther(isSavedFirst ? [save, remove] : [remove, save]);

    expect(await count(harness, 'compactions')).toBeGreaterThan(0);
    expect(await dumpTables(harness.db)).not.toContain('purple');
  }
});

async function beginNext(turn: TurnResource): Promise<string> {
  const { body: next } = await say(harness, turn);
  await sql`update work set status = 'in_progress', started_at = now() where id = ${next.id}`.execute(harness.db);
  return next.id;
}

/** Runs two transactions. The first commits after the second waits for it. */
async function oneBehindTheOther([one, two]: ((trx: Trx) => Promise<unknown>)[]): Promise<void> {
  const held = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const ahead = inTransaction(harness, async (trx) => {
    await one!(trx);
    held.resolve();
    await mayCommit.promise;
  });
  await held.promise;
  const behind = inTransaction(harness, two!);
  await untilOneWaits();
  mayCommit.resolve();
  await Promise.all([ahead, behind]);
}

/** Saves a summary of the turn `covered`, before the first round of `next`. */
function summarize(trx: Trx, { covered, next }: { covered: string; next: string }) {
  const compaction = {
    ...{ round: 1, strategy: 'summarize' as const, upToTurn: covered, upToRound: 1, summary: 'It was purple.' },
    ...{ beforeTokens: 9, afterTokens: 1, leftOut: 0, model: null, usage: null, requests: 1 },
  };
  const about = { failedRequests: 0, isUsed: true, covered: [covered], ownModel: 'openai/test' };
  return saveCompaction(trx, { turnId: next, compaction, ...about });
}

function remove(id: string) {
  return inTransaction(harness, (trx) => deleteTurn(trx, 'default', id));
}

/** Creates a fork like the API: locks the conversation, and then checks that the turn still exists. */
async function forkOf(trx: Trx, origin: string): Promise<string | null> {
  const turn = await findTurn(trx, 'default', origin);
  if (!turn || !(await lockVisibleConversation(trx, turn.conversationId))) return null;
  if (!(await findTurn(trx, 'default', origin))) return null;
  const standing = { config: {}, metadata: {}, outlivesTurns: false, forkedFrom: { turnId: origin, position: 1 } };
  return (await createFirstTurn(trx, newTurn(), standing)).id;
}

async function untilOneWaits(): Promise<void> {
  const waiting = sql<{ count: number }>`select count(*)::int as count from pg_locks
    where not granted and pid in (select pid from pg_stat_activity where datname = current_database())`;
  await waitUntil(async () => expect((await waiting.execute(harness.db)).rows[0]?.count).toBeGreaterThan(0));
}
