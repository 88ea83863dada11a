import OpenAI from 'openai';
import { expect } from 'vitest';
import { eraseAllHidden } from '#services/worker/routines/erase-hidden.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { test } from '../../test.ts';
import { openaiClient, raised } from '../openai-client.ts';
import { conversing } from './converse.ts';

test('a conversation is created, retrieved, changed and deleted', async ({ harness }) => {
  const { conversations } = openaiClient(harness, '/openai/v1');

  const made = await conversations.create({ metadata: { order: '17' } });
  const changed = await conversations.update(made.id, { metadata: { order: '18' } });
  const cleared = await conversations.update(made.id, { metadata: null });
  const stored = await harness.db.selectFrom('conversations').select('created_at').executeTakeFirstOrThrow();

  expect(made).toEqual({
    ...{ id: expect.stringMatching(/^conv_/), object: 'conversation', metadata: { order: '17' } },
    created_at: expect.any(Number),
  });
  expect(made.created_at).toBe(Math.floor(Number(stored.created_at) / 1000));
  expect(changed).toEqual({ ...made, metadata: { order: '18' } });
  expect(cleared).toEqual({ ...made, metadata: {} });
  expect(await conversations.retrieve(made.id)).toEqual(cleared);
  expect(await conversations.delete(made.id)).toEqual({ id: made.id, object: 'conversation.deleted', deleted: true });
  for (const gone of await Promise.all([conversations.retrieve(made.id), conversations.delete(made.id)].map(raised))) {
    expect(gone).toBeInstanceOf(OpenAI.NotFoundError);
  }
});

test('a conversation belongs to both APIs, and all its fields are optional', async ({ harness }) => {
  const { conversations } = openaiClient(harness, '/openai/v1');
  const { id } = await conversations.create();
  const native = await harness.call<{ id: string }>('POST', '/v1/conversations', { body: { metadata: { by: 'us' } } });

  expect(await harness.call('GET', `/v1/conversations/${id}`)).toMatchObject({
    status: 200,
    body: { id, model: null },
  });
  expect(await conversations.retrieve(native.body.id)).toMatchObject({ metadata: { by: 'us' } });
});

test('the first response of a conversation has the items as its history', async ({ harness }) => {
  const { conversations, respond, lastSent } = conversing(harness);
  const { id } = await conversations.create({
    items: [
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: 'I am Ada.' },
      { role: 'assistant', content: 'Hello, Ada.' },
    ],
  });

  const response = await respond({ conversation: { id }, input: 'Who am I?' });

  expect(response).toMatchObject({ status: 'completed', conversation: { id } });
  expect(lastSent()).toMatchObject([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'I am Ada.' },
    { role: 'assistant', content: 'Hello, Ada.' },
    { role: 'user', content: 'Who am I?' },
  ]);
});

test('deleting a conversation cancels its responses, and erases all its rows', async ({ harness }) => {
  const { client, conversations, start } = conversing(harness);
  const { id } = await conversations.create({ items: [{ role: 'user', content: 'I am Ada.' }] });
  const active = await start({ conversation: id, input: 'Who am I?' });
  const waiting = await start({ conversation: id, input: 'And you?' });

  await conversations.delete(id);
  await harness.workUntilIdle();
  await eraseAllHidden(harness.worker);

  expect(harness.modelRequests).toHaveLength(0);
  for (const response of [active, waiting]) {
    await expect(client.responses.retrieve(response.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  }
  expect((await harness.call('GET', `/v1/conversations/${id}`)).status).toBe(404);
  expect(await raised(start({ conversation: id, input: 'Hi' }))).toMatchObject({ code: 'conversation_not_found' });
  expect(await rowsOf(harness.db, id)).toBe(0);
});

test('deleting a conversation during an answer stops the work and notifies clients', async ({ harness, worker: _ }) => {
  const { client, conversations } = conversing(harness);
  const { id } = await conversations.create();
  const hanging = scripted({ answer: 'Never said to its end.', final: { fault: { kind: 'hang', after_chars: 5 } } });
  const stream = await client.responses.create({ model: 'test', conversation: id, input: hanging, stream: true });
  const held = client.responses.create({ model: 'test', conversation: id, input: 'Behind.' });
  await waitUntil(async () => expect(await rowsOf(harness.db, id)).toBe(2));
  let last: { type: string } | undefined;

  for await (const event of stream) {
    if (event.type === 'response.output_text.delta') await conversations.delete(id);
    last = event;
  }

  expect(last).toMatchObject({ type: 'response.incomplete', response: { status: 'cancelled' } });
  expect(await held).toMatchObject({ status: 'cancelled', conversation: { id } });
  await eraseAllHidden(harness.worker);
  expect(await rowsOf(harness.db, id)).toBe(0);
});

test('a fork of a deleted conversation keeps its history, and the rest is erased', async ({ harness }) => {
  const { client, conversations, respond, lastSent } = conversing(harness);
  const { id } = await conversations.create({ items: [{ role: 'user', content: 'I am Ada.' }] });
  const first = await respond({ conversation: id, input: 'Remember me.' });
  await conversations.items.create(id, { items: [{ role: 'user', content: 'Added.' }] });
  const fork = await respond({ previous_response_id: first.id, input: 'Fork.' });

  await conversations.delete(id);
  await eraseAllHidden(harness.worker);
  const last = await respond({ previous_response_id: fork.id, input: 'Who am I?' });

  expect(lastSent().map(({ content }) => content)).toEqual([
    ...['I am Ada.', 'Remember me.', first.output_text, 'Fork.', fork.output_text, 'Who am I?'],
  ]);
  await expect(client.responses.retrieve(first.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  expect(await rowsOf(harness.db, id)).toBe(2);
  for (const response of [last, fork]) await client.responses.delete(response.id);
  await eraseAllHidden(harness.worker);
  await eraseAllHidden(harness.worker);
  expect(await rowsOf(harness.db, id)).toBe(0);
});

test('conversations of other projects are not found', async () => {
  await using harness = await createHarness({ env: { PAWL_API_KEYS: 'alpha:key-a,beta:key-b' } });
  const beta = openaiClient(harness, '/openai/v1', 'key-b').conversations;
  const { conversations: alpha } = openaiClient(harness, '/openai/v1', 'key-a');
  const items = [{ role: 'user' as const, content: 'Mine.' }];
  const { id } = await beta.create({ items });
  const [item] = (await beta.items.list(id)).data;
  const conversation_id = (await alpha.create()).id;

  const asked = [id, 'conv_01kagz8m4pfvbte2n5q7rys3wx', 'nonsense'].flatMap((other) => [
    ...[alpha.retrieve(other), alpha.update(other, { metadata: {} }), alpha.delete(other), alpha.items.list(other)],
    ...[alpha.items.create(other, { items }), alpha.items.retrieve(item!.id!, { conversation_id: other })],
    alpha.items.delete(item!.id!, { conversation_id: other }),
  ]);
  for (const refused of await Promise.all(asked.map(raised))) {
    expect(refused).toBeInstanceOf(OpenAI.NotFoundError);
    expect(refused).toMatchObject({ code: 'conversation_not_found', requestID: expect.stringMatching(/^req_/) });
    expect(refused.headers?.get('x-should-retry')).toBe('false');
  }
  for (const asking of [alpha.items.retrieve, alpha.items.delete].map((ask) => ask.bind(alpha.items))) {
    const refused = await raised(asking(item!.id!, { conversation_id }));
    expect(refused).toMatchObject({ status: 404, code: 'conversation_item_not_found' });
  }
  expect((await beta.items.list(id)).data).toHaveLength(1);
});

test('a create repeated with its key makes one conversation, with its items once', async ({ harness }) => {
  const { conversations } = openaiClient(harness, '/openai/v1');
  const headers = { 'Idempotency-Key': 'once' };
  const body = { items: [{ role: 'user' as const, content: 'I am Ada.' }] };

  const made = await Promise.all([1, 2, 3].map(() => conversations.create(body, { headers })));
  const added = await Promise.all([1, 2, 3].map(() => conversations.items.create(made[0]!.id, body, { headers })));
  const otherwise = await raised(conversations.create({ metadata: {} }, { headers }));

  expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  expect(added[1]).toEqual(added[0]);
  expect((await conversations.items.list(made[0]!.id)).data).toHaveLength(2);
  expect(otherwise).toMatchObject({ status: 409, code: 'idempotency_key_reused' });
});

test('unknown paths and methods are answered in the error envelope', async ({ harness }) => {
  const client = openaiClient(harness, '/openai/v1');

  expect(await raised(client.get('/conversations'))).toMatchObject({ status: 405, code: 'method_not_allowed' });
  expect(await raised(client.post('/conversations/x/y/z'))).toMatchObject({ status: 404, code: 'route_not_found' });
  expect(await raised(client.post('/conversations', { body: { itmes: [] } }))).toMatchObject({
    ...{ status: 400, code: 'unknown_parameter', param: 'itmes' },
  });
});

async function rowsOf(db: Awaited<ReturnType<typeof createHarness>>['db'], id: string): Promise<number> {
  const rows = await db.selectFrom('turns').select('id').where('conversation_id', '=', id).execute();
  return rows.length;
}
