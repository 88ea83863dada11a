import { sql } from 'kysely';
import { expect } from 'vitest';
import { deleteOldBulks } from '#core/checkpoint/bulk/bulk.ts';
import { countSettledTurns } from '#core/checkpoint/bulk/settle-turn.ts';
import { takeBulkBatch } from '#core/checkpoint/bulk/take-batch.ts';
import { treatTurn } from '#services/worker/bulk/treat-turn.ts';
import { workBulks } from '#services/worker/bulk/work-bulks.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { dumpTables } from '#test/harness/stores/dump-tables.ts';
import { test } from '#test/harness/test.ts';

type Bulk = Record<'matched' | 'done' | 'failed' | 'left', number> & { id: string; status: string };

const failing = scripted({ final: { fault: { kind: 'status', status: 401 } } });
const cancelQueued = { action: 'cancel', filter: { status: 'queued' } };

async function startMany(harness: Harness, count: number, request: object = { input: 'Hi' }) {
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) ids.push((await harness.startTurn({ ...request })).id);
  return ids;
}

async function create(harness: Harness, body: object): Promise<string> {
  return (await harness.call<Bulk>('POST', '/v1/bulk', { body })).body.id;
}

async function read(harness: Harness, id: string): Promise<Bulk> {
  return (await harness.call<Bulk>('GET', `/v1/bulk/${id}`)).body;
}

/** Makes a bulk due again, as after the loss of its worker. */
async function letLeasePass(harness: Harness): Promise<void> {
  await sql`update bulks set due_at = due_at - interval '1 minute'`.execute(harness.db);
}

const counts = { matched: 5, done: 5, failed: 0, left: 0, status: 'completed' };

describeQueue(({ redis }) => {
  test('a bulk stops workers, sends webhooks and starts next turns like a single call', async () => {
    await using receiver = await openExternalServer(() => ({ status: 200, body: 'ok' }));
    await using harness = await createHarness({ redis });
    const webhook = { url: receiver.url, events: ['turn.cancelled'] };
    const first = await harness.startTurn({ input: 'One', webhook, metadata: { of: 'bulk' } });
    const path = `/v1/conversations/${first.conversation_id}/turns`;
    const { body: next } = await harness.call<{ id: string }>('POST', path, { body: { input: 'Two' } });

    await create(harness, { action: 'cancel', filter: { metadata: { of: 'bulk' } } });
    await harness.workBulks();
    await harness.untilReceived('cancelled', first.id);
    await harness.workUntilIdle();

    expect((await harness.listEvents(first.id)).map(({ type }) => type)).toEqual(['turn.queued', 'turn.cancelled']);
    expect((await harness.findTurn(next.id)).status).toBe('completed');
    expect(receiver.caught).toHaveLength(1);
  });
});

describeQueue(({ redis }) => {
  test('a bulk retries turns, and these run', async () => {
    await using harness = await createHarness({ redis });
    const input = scripted({ final: { fault: { kind: 'status', status: 401, times: 1 } } });
    const ids = await startMany(harness, 2, { input });
    await harness.workUntilIdle();
    const id = await create(harness, { action: 'retry', filter: { status: 'failed' } });

    await harness.workBulks();
    await harness.workUntilIdle();

    expect(await read(harness, id)).toMatchObject({ matched: 2, done: 2, failed: 0, left: 0, status: 'completed' });
    for (const turn of ids) expect((await harness.findTurn(turn)).status).toBe('completed');
  });
});

test('a bulk cancels and retries turns that wait for a slot', async () => {
  const projects = { alpha: { keys: ['key-of-alpha'], max_active_turns: 1 }, beta: { keys: ['key-of-beta'] } };
  await using harness = await createHarness({ env: { PAWL_PROJECTS: JSON.stringify(projects) } });
  const alpha = apiClient(harness.url, 'key-of-alpha');
  const bulk = (body: object) => alpha.call<Bulk>('POST', '/v1/bulk', { body });
  const refused = scripted({ final: { fault: { kind: 'status', status: 401, times: 1 } } });
  const failed = await alpha.startTurn({ input: refused });
  await harness.workUntilIdle();
  const first = await alpha.startTurn({ input: 'Hi', metadata: { of: 'bulk' } });
  const second = await alpha.startTurn({ input: 'Hi', metadata: { of: 'bulk' } });
  await harness.admit();

  await bulk({ action: 'cancel', filter: { metadata: { of: 'bulk' } } });
  await bulk({ action: 'retry', filter: { status: 'failed' } });
  await harness.workBulks();
  await harness.workUntilIdle();

  const ended = await Promise.all([first, second, failed].map(({ id }) => alpha.findTurn(id)));
  expect(ended.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'completed']);
  const { rows } = await sql`select from work`.execute(harness.db);
  expect(rows).toEqual([]);
});

test('a bulk does not count the end of an already cancelled turn again', async ({ harness }) => {
  const [cancelled] = await startMany(harness, 2, { input: 'Hi', metadata: { of: 'bulk' } });
  const id = await create(harness, { action: 'cancel', filter: { metadata: { of: 'bulk' } } });
  await harness.call('POST', `/v1/turns/${cancelled}/cancel`);

  await harness.workBulks();

  expect(await read(harness, id)).toMatchObject({ matched: 2, done: 2, failed: 0 });
  const metrics = await (await fetch(`${harness.url}/metrics`)).text();
  expect(metrics).toContain('pawl_turns_total{project="default",status="cancelled"} 2\n');
});

test('a bulk is kept while it runs, and for a week after its end', async ({ harness }) => {
  await startMany(harness, 1);
  const [done, open] = [await create(harness, cancelQueued), await create(harness, cancelQueued)];
  await workBulks(harness.worker, Number.POSITIVE_INFINITY, 1);
  const week = sql`created_at - interval '8 days', completed_at = completed_at - interval '8 days'`;
  await sql`update bulks set completed_at = null, due_at = now(), done = 0, failed = 0 where id = ${open}`.execute(
    harness.db,
  );
  await deleteOldBulks(harness.db);
  const young = await read(harness, done);
  await sql`update bulks set created_at = ${week}`.execute(harness.db);

  await deleteOldBulks(harness.db);

  expect(young.status).toBe('completed');
  expect((await harness.call('GET', `/v1/bulk/${done}`)).status).toBe(404);
  expect((await read(harness, open)).status).toBe('in_progress');
});

test('a bulk deletes turns permanently, and counts active turns as failed', async ({ harness }) => {
  const ended = await startMany(harness, 3, { input: 'A secret', metadata: { of: 'bulk' } });
  await harness.workUntilIdle();
  const [active] = await startMany(harness, 1, { input: 'Hi', metadata: { of: 'bulk' } });

  const id = await create(harness, { action: 'delete', filter: { metadata: { of: 'bulk' } } });
  await harness.workBulks();

  expect(await read(harness, id)).toMatchObject({
    ...{ status: 'completed', matched: 4, done: 3, failed: 1, left: 0 },
    errors: [{ turn_id: active, code: 'turn_active' }],
  });
  for (const turn of ended) expect((await harness.call('GET', `/v1/turns/${turn}`)).status).toBe(404);
  expect(await dumpTables(harness.db)).not.toContain('A secret');
});

test('matched is always the sum of done, failed and left', async ({ harness }) => {
  await startMany(harness, 12);
  const id = await create(harness, cancelQueued);
  let isOver = false;

  const seen: Bulk[] = [];
  const watching = (async () => {
    while (!isOver) seen.push(await read(harness, id));
  })();
  // Each pass stops after a second, and the next pass continues.
  while ((await read(harness, id)).left > 0) await workBulks(harness.worker, 1_000, 2);
  isOver = true;
  await watching;

  expect(await read(harness, id)).toMatchObject({ matched: 12, done: 12, left: 0, status: 'completed' });
  for (const { matched, done, failed, left } of seen) expect([matched, done + failed + left]).toEqual([12, 12]);
  expect(seen.map(({ done }) => done)).toEqual(seen.map(({ done }) => done).toSorted((one, other) => one - other));
});

test('two workers on the same batch of a bulk treat each turn once', async ({ harness }) => {
  const ids = await startMany(harness, 5, { input: failing });
  await harness.workUntilIdle();
  const id = await create(harness, { action: 'retry', filter: { status: 'failed' } });

  const first = await takeBulkBatch(harness.db, 10);
  await letLeasePass(harness);
  const second = await takeBulkBatch(harness.db, 10);
  const treat = async ({ turnIds, ...bulk }: NonNullable<typeof first>) => {
    for (const turnId of turnIds) await treatTurn({ ...bulk, turnId }, harness.worker);
    await countSettledTurns(harness.db, bulk.bulkId);
  };
  await Promise.all([treat(first!), treat(second!)]);

  expect(second).toEqual(first);
  expect(await read(harness, id)).toMatchObject(counts);
  for (const turn of ids) {
    const events = await harness.listEvents(turn);
    expect(events.filter(({ type }) => type === 'turn.resumed')).toHaveLength(1);
  }
  expect(await harness.db.selectFrom('bulk_turns').selectAll().execute()).toEqual([]);
});

test.for([0, 2, 5])(
  'another worker continues a bulk after its worker died with %i of five turns done',
  async (treated, { harness }) => {
    const ids = await startMany(harness, 5);
    const id = await create(harness, cancelQueued);
    const batch = await takeBulkBatch(harness.db, 10);
    const { turnIds, ...bulk } = batch!;
    for (const turnId of turnIds.slice(0, treated)) await treatTurn({ ...bulk, turnId }, harness.worker);

    const left = await read(harness, id);
    await harness.workBulks();
    const early = await read(harness, id);
    await letLeasePass(harness);
    await harness.workBulks();

    expect(left).toMatchObject({ matched: 5, done: treated, left: 5 - treated, status: 'in_progress' });
    expect(early).toEqual(left);
    expect(await read(harness, id)).toMatchObject(counts);
    for (const turn of ids) {
      const events = await harness.listEvents(turn);
      expect(events.filter(({ type }) => type === 'turn.cancelled')).toHaveLength(1);
    }
  },
);

test('a bulk counts deleted turns as failed and leaves untreatable turns for later', async ({ harness }) => {
  const [gone, held] = await startMany(harness, 2);
  const id = await create(harness, cancelQueued);
  await harness.db.deleteFrom('turns').where('id', '=', gone!).execute();
  const { conversation_id } = await harness.findTurn(held!);

  await harness.db.transaction().execute(async (trx) => {
    await sql`select from conversations where id = ${conversation_id} for update`.execute(trx);
    await expect(harness.workBulks()).rejects.toThrow();
  });
  const after = await read(harness, id);
  await letLeasePass(harness);
  await harness.workBulks();

  expect(after).toMatchObject({ matched: 2, done: 0, failed: 1, left: 1, status: 'in_progress' });
  expect(await read(harness, id)).toMatchObject({ matched: 2, done: 1, failed: 1, left: 0, status: 'completed' });
  expect(await read(harness, id)).toMatchObject({ errors: [{ turn_id: gone, code: 'turn_not_found' }] });
});
