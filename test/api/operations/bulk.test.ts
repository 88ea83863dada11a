import { sql } from 'kysely';
import { expect } from 'vitest';
import { workBulks } from '#services/worker/bulk/work-bulks.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { describeRefusal, refusalOf } from '../refusals.ts';

type Bulk = Record<'matched' | 'done' | 'failed' | 'left', number> & {
  id: string;
  status: string;
  errors: { turn_id: string; code: string }[];
  completed_at: string | null;
};

const failing = scripted({ final: { fault: { kind: 'status', status: 401 } } });

async function startMany(harness: Pick<Harness, 'startTurn'>, count: number, request: object = { input: 'Hi' }) {
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) ids.push((await harness.startTurn({ ...request })).id);
  return ids;
}

const create = (client: Pick<Harness, 'call'>, body: object, headers = {}) =>
  client.call<Bulk>('POST', '/v1/bulk', { body, headers });
const read = async (client: Pick<Harness, 'call'>, id: string) =>
  (await client.call<Bulk>('GET', `/v1/bulk/${id}`)).body;

test('a bulk is recorded, runs, and reports its outcome', async ({ harness }) => {
  const ids = await startMany(harness, 3, { input: 'Hi', metadata: { customer: '17' } });
  await startMany(harness, 2);
  const filter = { status: 'queued,in_progress', metadata: { customer: '17' } };

  const created = await create(harness, { action: 'cancel', filter });
  const before = await read(harness, created.body.id);
  await workBulks(harness.worker);
  const after = await read(harness, created.body.id);

  expect(created).toMatchObject({ status: 202, body: before });
  expect(created.headers.get('location')).toBe(`/v1/bulk/${before.id}`);
  expect(before).toEqual({
    ...{ id: expect.stringMatching(/^bulk_[0-9a-z]{26}$/), object: 'bulk', action: 'cancel', filter },
    ...{ status: 'in_progress', matched: 3, done: 0, failed: 0, left: 3, errors: [] },
    ...{ created_at: expect.any(String), completed_at: null },
  });
  expect(after).toEqual({ ...before, status: 'completed', done: 3, left: 0, completed_at: expect.any(String) });
  for (const id of ids) expect((await harness.findTurn(id)).status).toBe('cancelled');
  const { body } = await harness.call<{ data: unknown[] }>('GET', '/v1/turns?status=queued');
  expect(body.data).toHaveLength(2);
});

test('a bulk counts refused turns as failed, and lists the codes of the first twenty', async () => {
  await using harness = await createHarness();
  const ids = await startMany(harness, 23);
  await harness.workUntilIdle();

  const { body } = await create(harness, { action: 'retry', filter: { status: 'completed' } });
  await workBulks(harness.worker);

  const bulk = await read(harness, body.id);
  expect(bulk).toMatchObject({ status: 'completed', matched: 23, done: 0, failed: 23, left: 0 });
  expect(bulk.errors).toHaveLength(20);
  expect(new Set(bulk.errors.map(({ code }) => code))).toEqual(new Set(['turn_not_failed']));
  for (const { turn_id } of bulk.errors) expect(ids).toContain(turn_id);
});

test('a bulk treats only turns that matched at its start, once each', async ({ harness }) => {
  const ids = await startMany(harness, 3, { input: failing });
  await harness.workUntilIdle();

  const { body } = await create(harness, { action: 'retry', filter: { status: 'failed' } });
  const [later] = await startMany(harness, 1, { input: failing });
  await harness.workUntilIdle();
  await workBulks(harness.worker);
  await harness.workUntilIdle();
  await workBulks(harness.worker);
  await harness.workUntilIdle();

  const resumed = async (id: string) =>
    (await harness.listEvents(id)).filter(({ type }) => type === 'turn.resumed').length;
  expect(await read(harness, body.id)).toMatchObject({ status: 'completed', matched: 3, done: 3, failed: 0, left: 0 });
  for (const id of ids) expect(await resumed(id)).toBe(1);
  expect(await resumed(later!)).toBe(0);
  for (const id of ids) expect((await harness.findTurn(id)).status).toBe('failed');
});

test('a dry run of a bulk counts turns, and is not stored', async ({ harness }) => {
  await startMany(harness, 4);

  const answer = await create(
    harness,
    { action: 'cancel', filter: { model: 'openai/test' }, dry_run: true },
    { 'idempotency-key': 'one' },
  );

  expect(answer).toMatchObject({ status: 200, body: { object: 'bulk', dry_run: true, matched: 4 } });
  expect(Object.keys(answer.body)).toEqual(['object', 'dry_run', 'matched']);
  for (const table of ['bulks', 'bulk_turns', 'idempotency_keys'])
    expect((await sql`select from ${sql.table(table)}`.execute(harness.db)).rows).toEqual([]);
});

test('a repeated Idempotency-Key returns the same bulk in its current state', async ({ harness }) => {
  await startMany(harness, 2);
  const asking = [{ action: 'cancel', filter: { status: 'queued' } }, { 'idempotency-key': 'one' }] as const;

  const first = await create(harness, ...asking);
  await workBulks(harness.worker);
  const second = await create(harness, ...asking);

  expect(second).toMatchObject({ status: 202, body: { id: first.body.id, status: 'completed', matched: 2 } });
  expect(second.headers.get('idempotency-replayed')).toBe('true');
});

test('a bulk that matches no turn is completed at once', async ({ harness }) => {
  const { body } = await create(harness, { action: 'cancel', filter: { conversation_id: 'nothing of the kind' } });

  expect(body).toMatchObject({ status: 'completed', matched: 0, done: 0, failed: 0, left: 0 });
  expect(body.completed_at).not.toBeNull();
});

test('a bulk treats turns of its project only, and is not found by other projects', async () => {
  await using harness = await createHarness({ env: { PAWL_API_KEYS: 'alpha:key-of-alpha,beta:key-of-beta' } });
  const [alpha, beta] = ['key-of-alpha', 'key-of-beta'].map((key) => apiClient(harness.url, key));
  await startMany(alpha!, 2);
  const [own] = await startMany(beta!, 1);

  const { body } = await create(beta!, { action: 'cancel', filter: { status: 'queued' } });
  await workBulks(harness.worker);

  expect(await read(beta!, body.id)).toMatchObject({ matched: 1, done: 1 });
  expect((await beta!.findTurn(own!)).status).toBe('cancelled');
  expect(describeRefusal(await alpha!.call('GET', `/v1/bulk/${body.id}`))).toBe('404 bulk_not_found: id');
  const { rows } = await sql`select from work where project = 'alpha' and status = 'queued'`.execute(harness.db);
  expect(rows).toHaveLength(2);
});

test('an invalid bulk is refused with the name of its field', async ({ harness }) => {
  const refused = (body: unknown) => refusalOf(harness, '/v1/bulk', body);

  expect(await refused({ action: 'cancel', filter: {} })).toBe('400 filter_required: filter');
  expect(await refused({ action: 'cancel', filter: { metadata: {} } })).toBe('400 filter_required: filter');
  expect(await refused({ action: 'cancel' })).toBe('400 missing_field: filter');
  expect(await refused({ action: 'stop', filter: { status: 'queued' } })).toBe('400 invalid_value: action');
  expect(await refused({ action: 'cancel', filter: { status: 'gone' } })).toMatch(/^400 invalid_value: filter.status/);
  expect(await refused({ action: 'cancel', filter: { stat: 'queued' } })).toBe('400 unknown_field: filter.stat');
  expect(await refused({ action: 'cancel', filter: { created_after: 'now' } })).toMatch(/^400 invalid_value: filter/);
  expect(await refused({ action: 'cancel', filter: { status: 'queued' }, dry: true })).toBe('400 unknown_field: dry');
});
