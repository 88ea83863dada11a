import { expect } from 'vitest';
import { eraseHidden } from '#core/checkpoint/deletion/erase-hidden.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { test } from '#test/harness/test.ts';
import { describeRefusal } from '../refusals.ts';

type Client = Pick<Harness, 'call'>;

const body = { model: 'openai/test', input: 'Hi' };

function post(client: Client, path: string, { key, ...request }: { key: string; body?: unknown }) {
  return client.call<TurnResource>('POST', path, { body, ...request, headers: { 'idempotency-key': key } });
}

async function countTurns(harness: Harness): Promise<number> {
  return (await harness.call<{ data: unknown[] }>('GET', '/v1/turns')).body.data.length;
}

test('a repeated idempotency key returns the current turn and marks the replay', async ({ harness }) => {
  const first = await post(harness, '/v1/turns', { key: 'k-1' });
  await harness.workUntilIdle();
  const again = await post(harness, '/v1/turns', { key: 'k-1' });

  expect(first.headers.get('idempotency-replayed')).toBeNull();
  expect(again.status).toBe(202);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(again.headers.get('location')).toBe(`/v1/turns/${first.body.id}`);
  expect(first.body.status).toBe('queued');
  expect(again.body).toEqual(await harness.findTurn(first.body.id));
  expect(again.body.status).toBe('completed');
  expect(await countTurns(harness)).toBe(1);
  expect(harness.modelRequests).toHaveLength(1);
});

test.each([
  [201, { model: 'openai/test' }],
  [202, body],
])('a replayed conversation gets its original status %i', async (status, request) => {
  await using harness = await createHarness();

  const first = await post(harness, '/v1/conversations', { key: 'k-1', body: request });
  await harness.workUntilIdle();
  const again = await post(harness, '/v1/conversations', { key: 'k-1', body: request });

  expect([first.status, again.status]).toEqual([status, status]);
  expect(again.body.id).toBe(first.body.id);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(await harness.call('GET', '/v1/conversations')).toMatchObject({ body: { data: [{ id: first.body.id }] } });
});

test('a replayed conversation shows the current state of its first turn', async ({ harness }) => {
  await post(harness, '/v1/conversations', { key: 'k-1' });
  await harness.workUntilIdle();
  const again = await post(harness, '/v1/conversations', { key: 'k-1' });

  expect(again.body).toMatchObject({ object: 'conversation', active_turn_id: null, turn: { status: 'completed' } });
});

test('a replayed conversation shows no turn if its first turn was deleted', async ({ harness }) => {
  const { body: first } = await post(harness, '/v1/conversations', { key: 'k-1' });
  const { turn } = first as unknown as { turn: TurnResource };
  await harness.workUntilIdle();

  await harness.call('DELETE', `/v1/responses/${turn.id.replace('turn_', 'resp_')}`);
  await eraseHidden(harness.db, 10);
  await harness.call('POST', `/v1/conversations/${first.id}/turns`, { body: { input: 'Second.' } });
  const again = await post(harness, '/v1/conversations', { key: 'k-1' });

  expect([again.status, again.body.id]).toEqual([202, first.id]);
  expect(again.body).not.toHaveProperty('turn');
});

test('an idempotency key with another body is refused with 409 and starts no turn', async ({ harness }) => {
  await post(harness, '/v1/turns', { key: 'k-1' });
  const other = await post(harness, '/v1/turns', { key: 'k-1', body: { ...body, input: 'Other' } });

  expect(describeRefusal(other)).toBe('409 idempotency_key_reused: Idempotency-Key');
  expect(await countTurns(harness)).toBe(1);
});

test('concurrent requests with the same idempotency key start one turn', async ({ harness }) => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => post(harness, '/v1/turns', { key: 'k-1' })));

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
  expect(new Set(answers.map(({ body: { id } }) => id)).size).toBe(1);
  expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(7);
  expect(await countTurns(harness)).toBe(1);
});

test('one of several different concurrent requests with the same key is accepted', async ({ harness }) => {
  const answers = await Promise.all(
    ['a', 'b', 'c', 'd'].map((input) => post(harness, '/v1/turns', { key: 'k-1', body: { ...body, input } })),
  );

  expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409]);
  expect(await countTurns(harness)).toBe(1);
});

test('a refused request does not use up its idempotency key', async ({ harness }) => {
  const { conversation_id } = await harness.startTurn({ input: 'Busy' });
  const path = `/v1/conversations/${conversation_id}/turns`;
  const rejecting = { ...body, on_active_turn: 'reject' };

  const invalid = await post(harness, path, { key: 'k-1', body: { ...body, temperature: 'hot' } });
  const rejected = await post(harness, path, { key: 'k-1', body: rejecting });
  await harness.workUntilIdle();
  const accepted = await post(harness, path, { key: 'k-1', body: rejecting });

  expect([invalid.status, rejected.status, accepted.status]).toEqual([400, 409, 202]);
  expect(accepted.headers.get('idempotency-replayed')).toBeNull();
});

test('a replay is answered even if a new request would be refused', async ({ harness }) => {
  const { body: conversation } = await harness.call('POST', '/v1/conversations', { body: { model: 'openai/test' } });
  const request = { key: 'k-1', body: { ...body, on_active_turn: 'reject' } };

  const first = await post(harness, `/v1/conversations/${conversation.id}/turns`, request);
  const again = await post(harness, `/v1/conversations/${conversation.id}/turns`, request);

  expect(again).toMatchObject({ status: 202, body: { id: first.body.id } });
});

test.each(['', ' ', 'a b', 'é', 'tab\there', 'k'.repeat(256)])('the idempotency key %j is refused', async (key) => {
  await using harness = await createHarness();

  const refused = await post(harness, '/v1/turns', { key });

  expect(describeRefusal(refused)).toBe('400 invalid_idempotency_key: Idempotency-Key');
  expect(await countTurns(harness)).toBe(0);
});

test.each(['k', '!"#$%&~', 'k'.repeat(255)])('the idempotency key %j is accepted', async (key) => {
  await using harness = await createHarness();

  const taken = await post(harness, '/v1/turns', { key });

  expect(taken.status).toBe(202);
});

test('an idempotency key applies to its path and its project only', async () => {
  await using harness = await createHarness({ env: { PAWL_API_KEYS: 'alpha:a,beta:b' } });
  const [alpha, beta] = [apiClient(harness.url, 'a'), apiClient(harness.url, 'b')];

  const { body: first } = await post(alpha, '/v1/turns', { key: 'k-1' });
  const others = [
    await post(beta, '/v1/turns', { key: 'k-1' }),
    await post(alpha, '/v1/conversations', { key: 'k-1' }),
    await post(alpha, `/v1/conversations/${first.conversation_id}/turns`, { key: 'k-1' }),
  ];

  expect(others.map(({ status, headers }) => [status, headers.get('idempotency-replayed')])).toEqual(
    Array(3).fill([202, null]),
  );
  expect(new Set([first, ...others.map((answer) => answer.body)].map(({ id }) => id)).size).toBe(4);
});
