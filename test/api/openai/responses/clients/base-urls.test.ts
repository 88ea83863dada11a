import OpenAI from 'openai';
import { connectPawl } from 'pawl/client';
import { expect } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { test } from '../../test.ts';
import { openaiClient, raised } from '../openai-client.ts';

const items = [{ role: 'user' as const, content: 'I am Ada.' }];

test.each(['/v1', '/openai/v1'] as const)('the OpenAI client keeps conversations at the base URL %s', async (base) => {
  await using harness = await createHarness();
  const { conversations } = openaiClient(harness, base);

  const made = await conversations.create({ metadata: { order: '17' }, items });
  const retrieved = await conversations.retrieve(made.id);
  const changed = await conversations.update(made.id, { metadata: { order: '18' } });
  const added = await conversations.items.create(made.id, { items });
  const listed = await conversations.items.list(made.id);
  const [last] = listed.data;
  const item = await conversations.items.retrieve(last!.id!, { conversation_id: made.id });
  const without = await conversations.items.delete(last!.id!, { conversation_id: made.id });
  const deleted = await conversations.delete(made.id);

  expect(made).toEqual({
    ...{ id: expect.stringMatching(/^conv_/), object: 'conversation', metadata: { order: '17' } },
    created_at: expect.any(Number),
  });
  expect(retrieved).toEqual(made);
  expect(changed).toEqual({ ...made, metadata: { order: '18' } });
  expect(added.data).toMatchObject([{ type: 'message', content: [{ type: 'input_text', text: 'I am Ada.' }] }]);
  expect(listed.data).toHaveLength(2);
  expect(item).toEqual(last);
  expect(without).toEqual(changed);
  expect(deleted).toEqual({ id: made.id, object: 'conversation.deleted', deleted: true });
});

test.each(['/v1', '/openai/v1'] as const)('the OpenAI client reads models at the base URL %s', async (base) => {
  await using harness = await createHarness({ env: { PAWL_MODEL_ALIASES: '{"gpt-4o-mini":"sim/demo"}' } });
  const { models } = openaiClient(harness, base);

  const { data } = await models.list();
  const demo = await models.retrieve('sim/demo');
  const refused = await raised(models.retrieve('sim/none'));

  expect(data).toContainEqual({ id: 'gpt-4o-mini', object: 'model', created: expect.any(Number), owned_by: 'sim' });
  expect(data).toContainEqual(demo);
  expect(refused).toBeInstanceOf(OpenAI.NotFoundError);
  expect(refused).toMatchObject({ requestID: expect.stringMatching(/^req_/) });
});

test('a refusal is the same at both base URLs', async () => {
  await using harness = await createHarness({ env: { PAWL_API_KEYS: 'alpha:key-a' } });
  const refusals = await Promise.all(
    (['/v1', '/openai/v1'] as const).map(async (base) => {
      const client = openaiClient(harness, base, 'key-a');
      const wrong = [
        client.conversations.retrieve('conv_01kagz8m4pfvbte2n5q7rys3wx'),
        client.post('/conversations', { body: { itmes: [] } }),
        client.put('/conversations/x'),
        client.delete('/models'),
        openaiClient(harness, base, 'wrong').models.list(),
      ];
      return Promise.all(wrong.map(async (one) => comparable(await raised(one))));
    }),
  );

  expect(refusals[0]).toEqual(refusals[1]);
  expect(refusals[0]!.map(({ status, shouldRetry }) => [status, shouldRetry])).toEqual([
    ...[404, 400, 405, 405, 401].map((status) => [status, 'false']),
  ]);
});

test('an Idempotency-Key of an OpenAI client applies to both base URLs', async ({ harness }) => {
  const headers = { 'Idempotency-Key': 'once' };
  const bases = ['/v1', '/openai/v1', '/v1'] as const;

  const made = await Promise.all(
    bases.map((base) => openaiClient(harness, base).conversations.create({ metadata: {} }, { headers })),
  );
  const native = await harness.call<{ id: string }>('POST', '/v1/conversations', { body: { metadata: {} }, headers });

  expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  expect(native.status).toBe(201);
  expect(native.body.id).not.toBe(made[0]!.id);
});

test('Pawl’s client and plain requests get the native shapes', async ({ harness }) => {
  const pawl = connectPawl({ baseUrl: harness.url });

  const { id } = await pawl.conversations.create({ model: 'openai/test' });
  const read = await pawl.conversations.get(id);
  const models = await harness.call('GET', '/v1/models');
  const noItems = await harness.call('GET', `/v1/conversations/${id}/items`);
  const removed = await harness.call('DELETE', `/v1/conversations/${id}`);

  expect(read).toMatchObject({ id, model: 'openai/test', tools: [] });
  expect(models.body).toMatchObject({ object: 'list', has_more: false });
  expect(models.body.data).toContainEqual(expect.objectContaining({ id: 'sim/*', object: 'provider' }));
  expect(noItems.status).toBe(404);
  expect(removed).toMatchObject({ status: 204, body: null });
});

test('an OpenAI client may request resources that only Pawl has', async ({ client }) => {
  const { id } = await client.conversations.create();

  const body = { model: 'openai/test', input: 'Hello' };
  const turn = await client.post<{ conversation_id: string }>(`/conversations/${id}/turns`, { body });
  const messages = await client.get<{ object: string }>(`/conversations/${id}/messages`);
  const changed = await client.patch(`/conversations/${id}`, { body: { instructions: 'Be brief.' } });
  const list = await client.get<{ data: object[] }>('/conversations');

  expect(turn).toMatchObject({ object: 'turn', conversation_id: id });
  expect(messages.object).toBe('list');
  expect(changed).toMatchObject({ id, instructions: 'Be brief.' });
  expect(list.data).toMatchObject([{ id, instructions: 'Be brief.' }]);
});

function comparable({ status, code, param, message, headers }: InstanceType<typeof OpenAI.APIError>) {
  return { status, code, param, message, shouldRetry: headers?.get('x-should-retry'), allow: headers?.get('allow') };
}
