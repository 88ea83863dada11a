import { expect } from 'vitest';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../test.ts';
import { openaiClient, raised } from './openai-client.ts';

const none = 'resp_01kagz8m4pfvbte2n5q7rys3wx';

async function create(harness: Harness, body: object = {}): Promise<string> {
  const request = { model: 'test', input: scripted({ answer: 'Hello.' }), background: true, ...body };
  const { body: made } = await harness.call<{ id: string }>('POST', '/v1/responses', { body: request });
  return made.id;
}

test.each(['/v1', '/openai/v1'])(
  'every answer under %s has the headers that clients read, errors too',
  async (base) => {
    await using harness = await createHarness({ env: { PAWL_API_KEYS: 'alpha:key-a' } });
    const authorization = 'Bearer key-a';
    const asked = [
      ['GET', `/responses/${none}`, 404, { authorization }],
      ['GET', '/responses/x/y/z', 404, { authorization }],
      ['PUT', '/responses', 405, { authorization }],
      ['POST', '/responses', 400, { authorization }],
      ['GET', `/responses/${none}`, 401, {}],
    ] as const;

    for (const [method, path, expected, headers] of asked) {
      const { status, headers: given, body } = await harness.call(method, base + path, { headers });
      expect.soft(status, path).toBe(expected);
      expect.soft(given.get('x-request-id'), path).toMatch(/^req_/);
      expect.soft(given.get('openai-processing-ms'), path).toMatch(/^\d+$/);
      expect.soft(given.get('x-should-retry'), path).toBe('false');
      expect.soft(Object.keys((body as { error: object }).error).sort()).toEqual(['code', 'message', 'param', 'type']);
    }
  },
);

test.each(['/v1', '/openai/v1'])(
  'a path of OpenAI’s API that Pawl does not serve under %s is not found',
  async (base) => {
    await using harness = await createHarness();

    const { status, body, headers } = await harness.call('POST', `${base}/vector_stores`, { body: { name: 'Notes' } });

    expect([status, body]).toMatchObject([404, { error: { code: 'route_not_found' } }]);
    expect(headers.get('x-request-id')).toMatch(/^req_/);
  },
);

test('the OpenAI client gets 413 for a large body and keeps its connection', async ({ harness }) => {
  const client = openaiClient(harness);
  for (const mebibytes of [9, 20, 12, 9]) {
    const input = 'x'.repeat(mebibytes * 2 ** 20);
    const error = await raised(client.responses.create({ model: 'test', input }));
    expect(error).toMatchObject({ status: 413, code: 'body_too_large' });
  }
});

test('a response body may be as large as PAWL_BODY_LIMIT, unlike other bodies', async () => {
  await using harness = await createHarness({ env: { PAWL_BODY_LIMIT: '3000000' } });
  const post = (path: string, bytes: number) =>
    harness.call('POST', path, { body: { model: 'test', input: 'x'.repeat(bytes), background: true } });

  expect((await post('/v1/responses', 2_500_000)).status).toBe(200);
  expect((await post('/openai/v1/responses', 2_500_000)).status).toBe(200);
  const { status, body } = await post('/v1/responses', 3_000_000);
  expect([status, body]).toMatchObject([413, { error: { message: expect.stringContaining('3000000 bytes') } }]);
  expect((await post('/v1/turns', 1_100_000)).status).toBe(413);
});

test('input items of a response are listed in pages, newest first', async ({ harness, client }) => {
  const input = ['one', 'two', 'three'].map((content) => ({ role: 'user' as const, content }));
  const id = await create(harness, { input });

  const all = await client.responses.inputItems.list(id);
  const paged: (string | undefined)[] = [];
  for await (const item of client.responses.inputItems.list(id, { limit: 2 })) paged.push(item.id);
  expect(all.data).toMatchObject([...input].reverse().map(({ content }) => ({ content: [{ text: content }] })));
  expect(paged).toEqual(all.data.map((item) => item.id));
  const first = await client.responses.inputItems.list(id, { limit: 1, order: 'asc' });
  expect(first).toMatchObject({ has_more: true, data: [{ content: [{ text: 'one' }] }] });
  for (const query of ['after=msg_none', 'limit=0', 'limit=101', 'order=up']) {
    const { status } = await harness.call('GET', `/v1/responses/${id}/input_items?${query}`);
    expect.soft(status, query).toBe(400);
  }
});

test('a repeated or late cancel returns the response without a change', async ({ harness }) => {
  const client = openaiClient(harness, '/openai/v1');
  const [active, ended] = [await create(harness), await create(harness)];

  expect(await client.responses.cancel(active)).toMatchObject({ id: active, status: 'cancelled' });
  expect(await client.responses.cancel(active)).toMatchObject({ id: active, status: 'cancelled' });
  await harness.workUntilIdle();
  expect(await client.responses.cancel(ended)).toMatchObject({ id: ended, status: 'completed' });
});

test('a deleted response is not found, and later responses keep its history', async ({ harness }) => {
  const client = openaiClient(harness);
  const first = await create(harness, { input: 'I am Ada.' });
  await harness.workUntilIdle();
  const second = await create(harness, { input: 'Who am I?', previous_response_id: first });

  await client.responses.delete(first);
  await harness.workUntilIdle();

  expect(JSON.stringify(harness.modelRequests.at(-1)!.body)).toContain('I am Ada.');
  expect((await client.responses.retrieve(second)).status).toBe('completed');
  for (const path of [`/v1/responses/${first}`, `/v1/turns/${first.replace('resp_', 'turn_')}`]) {
    expect((await harness.call('GET', path)).status).toBe(404);
  }
  expect((await harness.call('DELETE', `/v1/responses/${first}`)).status).toBe(404);
  const chained = { model: 'test', input: 'Hi', previous_response_id: first };
  expect((await harness.call('POST', '/v1/responses', { body: chained })).body).toMatchObject({
    error: { code: 'previous_response_not_found' },
  });
});

test('deleting an active response cancels it', async ({ harness }) => {
  const id = await create(harness);

  const { body } = await harness.call('DELETE', `/v1/responses/${id}`);
  await harness.workUntilIdle();

  expect(body).toEqual({ id, object: 'response', deleted: true });
  expect(harness.modelRequests).toEqual([]);
});

test('an unsupported content part is refused with its path in the request', async ({ harness }) => {
  const file = { type: 'input_file', filename: 'a.zip', file_data: 'data:application/zip;base64,AA==' };
  const content = [{ type: 'input_text', text: 'Look:' }, file];
  const input = [
    { type: 'reasoning', id: 'rs_1', summary: [] },
    { role: 'user', content },
  ];

  const { status, body } = await harness.call('POST', '/v1/responses', { body: { model: 'test', input } });
  expect(status).toBe(400);
  expect(body).toMatchObject({ error: { code: 'unsupported_content', param: 'input[1].content[1]' } });
});
