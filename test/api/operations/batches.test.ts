import { connectPawl } from 'pawl/client';
import { expect } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { test } from '#test/harness/test.ts';
import { idOfBatch, storeBatch, storeBatchRequest } from './store-batch.ts';

test('batches are listed newest first, with their states and answered rounds', async ({ harness }) => {
  const older = await storeBatch(harness.db, { number: 1, state: 'sent', requests: 3 });
  const newer = await storeBatch(harness.db, { number: 2, state: 'open' });
  await storeBatchRequest(harness.db, 'a', { batchId: older, state: 'sent' });
  await storeBatchRequest(harness.db, 'b', { batchId: older, state: 'answered' });
  await storeBatchRequest(harness.db, 'c', { batchId: newer, state: 'waiting' });

  const { data, ...page } = await connectPawl({ baseUrl: harness.url }).batches();

  const known = { object: 'batch', provider: 'openai', model: 'openai/test', created_at: expect.any(String) };
  expect(page).toEqual({ object: 'list', has_more: false, next_cursor: null, waiting: [] });
  expect(data).toEqual([
    {
      ...{ ...known, id: newer, state: 'open', requests: 1, answered: 0, sent_at: null },
      ...{ refusals: 2, refusal_code: 'provider_rate_limited', age_seconds: expect.any(Number) },
    },
    {
      ...{ ...known, id: older, state: 'sent', requests: 3, answered: 2, sent_at: expect.any(String) },
      ...{ refusals: 0, refusal_code: null, age_seconds: expect.any(Number) },
    },
  ]);
  for (const { age_seconds: age } of data) expect(age).toBeGreaterThanOrEqual(90);
});

test('rounds that wait for a batch are listed by model with the oldest age', async ({ harness }) => {
  for (const name of ['a', 'b', 'other'])
    await storeBatchRequest(harness.db, name, { batchId: null, state: 'waiting' });

  const { data, waiting } = await connectPawl({ baseUrl: harness.url }).batches();

  const rounds = { object: 'batch.waiting', age_seconds: expect.any(Number) };
  expect(data).toEqual([]);
  expect(waiting).toEqual([
    { ...rounds, provider: 'openai', model: 'openai/test', requests: 2 },
    { ...rounds, provider: 'sim', model: 'sim/demo', requests: 1 },
  ]);
  for (const { age_seconds: age } of waiting) expect(age).toBeGreaterThanOrEqual(30);
});

test('the list of batches has pages', async ({ harness }) => {
  for (const number of [1, 2, 3]) await storeBatch(harness.db, { number, state: 'sent' });
  const pawl = connectPawl({ baseUrl: harness.url });

  const first = await pawl.batches({ limit: 2 });
  const second = await pawl.batches({ limit: 2, cursor: first.next_cursor! });

  expect(first.data.map(({ id }) => id)).toEqual([idOfBatch(3), idOfBatch(2)]);
  expect(first).toMatchObject({ has_more: true, next_cursor: idOfBatch(2) });
  expect(second).toMatchObject({ data: [{ id: idOfBatch(1) }], has_more: false, next_cursor: null });
  expect(await harness.call('GET', '/v1/batches?cursor=turn_1')).toMatchObject({
    ...{ status: 400, body: { error: { code: 'invalid_value', param: 'cursor' } } },
  });
});

test('only keys with the scope admin may list the batches', async () => {
  const projects = { alpha: { keys: [{ key: 'reader' }, { key: 'boss', scopes: ['admin'] }] } };
  await using harness = await createHarness({ env: { PAWL_PROJECTS: JSON.stringify(projects) } });
  const asked = (key: string) => harness.call('GET', '/v1/batches', { headers: { authorization: `Bearer ${key}` } });

  expect(await asked('reader')).toMatchObject({ status: 403, body: { error: { code: 'insufficient_scope' } } });
  expect(await asked('boss')).toMatchObject({ status: 200, body: { data: [], waiting: [] } });
});
