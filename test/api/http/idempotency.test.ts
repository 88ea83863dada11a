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

test('the same key with the same body answers the same turn as it is now, and says so', async ({ harness }) => {
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
])('a conversation that was answered %i is answered so again', async (status, request) => {
  await using harness = await createHarness();

  const first = await post(harness, '/v1/conversations', { key: 'k-1', body: request });
  await harness.workUntilIdle();
  const again = await post(harness, '/v1/conversations', { key: 'k-1', body: request });

  expect([first.status, again.status]).toEqual([status, status]);
  expect(again.body.id).toBe(first.body.id);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(await harness.call('GET', '/v1/conversations')).toMatchObject({ body: { data: [{ id: first.body.id }] } });
});

test('the first turn of a replayed conversation is shown as it is now', async ({ harness }) => {
  await post(harness, '/v1/conversations', { key: 'k-1' });
  await harness.workUntilIdle();
  const again = await post(harness, '/v1/conversations', { key: 'k-1' });

  expect(again.body).toMatchObject({ object: 'conversation', active_turn_id: null, turn: { status: 'completed' } });
});

test('a replayed conversation whose first turn was deleted shows no other in its place', async ({ harness }) => {
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

test('the same key with another body is 409, and nothing is done', async ({ harness }) => {
  await post(harness, '/v1/turns', { key: 'k-1' });
  const other = await post(harness, '/v1/turns', { key: 'k-1', body: { ...body, input: 'Other' } });

  expect(describeRefusal(other)).toBe('409 idempotency_key_reused: Idempotency-Key');
  expect(await countTurns(harness)).toBe(1);
});

test('of two requests in flight the second waits for the first and answers the same', async ({ harness }) => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => post(harness, '/v1/turns', { key: 'k-1' })));

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
  expect(new Set(answers.map(({ body: { id } }) => id)).size).toBe(1);
  expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(7);
  expect(await countTurns(harness)).toBe(1);
});

test('of two different requests in flight with one key only one is done', async ({ harness }) => {
  const answers = await Promise.all(
    ['a', 'b', 'c', 'd'].map((input) => post(harness, '/v1/turns', { key: 'k-1', body: { ...body, input } })),
  );

  expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409]);
  expect(await countTurns(harness)).toBe(1);
});

test('a refused request leaves its key unused', async ({ harness }) => {
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

test('a replay is answered even where the request would be refused now', async ({ harness }) => {
  const { body: conversation } = await harness.call('POST', '/v1/conversations', { body: { model: 'openai/test' } });
  const request = { key: 'k-1', body: { ...body, on_active_turn: 'reject' } };

  const first = await post(harness, `/v1/conversations/${conversation.id}/turns`, request);
  const again = await post(harness, `/v1/conversations/${conversation.id}/turns`, request);

  expect(again).toMatchObject({ status: 202, body: { id: first.body.id } });
});

test.each(['', ' ', 'a b', 'é', 'tab\there', 'k'.repeat(256)])('the key %j is refused', async (key) => {
  await using harness = await createHarness();

  const refused = await post(harness, '/v1/turns', { key });

  expect(describeRefusal(refused)).toBe('400 invalid_idempotency_key: Idempotency-Key');
  expect(await countTurns(harness)).toBe(0);
});

test.each(['k', '!"#$%&~', 'k'.repeat(255)])('the key %j is taken', async (key) => {
  await using harness = await createHarness();

  const taken = await post(harness, '/v1/turns', { key });

  expect(taken.status).toBe(202);
});

test('a key counts for its path and its project only', async () => {
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
