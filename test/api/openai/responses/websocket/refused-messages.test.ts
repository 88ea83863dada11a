import { expect } from 'vitest';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../../test.ts';
import { openSocket, responseOf, type Socket } from './open-socket.ts';

const none = 'resp_01kagz8m4pfvbte2n5q7rys3wx';
const input = scripted({ answer: 'Hello.' });
const create = { type: 'response.create', model: 'test', input };

const refused: object[] = [
  { model: undefined },
  { model: 7 },
  { model: 'nobody/test', inptu: 'Hi' },
  { input: undefined },
  { input: [] },
  { input: [{ type: 'computer_call' }] },
  { input: [{ type: 'function_call_output', call_id: 'call_1', output: 'x' }] },
  { input: [{ type: 'item_reference', id: 'msg_none' }] },
  { previous_response_id: none },
  { previous_response_id: 'resp_1', conversation: 'conv_1' },
  { conversation: 'conv_none' },
  { tools: [{ type: 'web_search' }] },
  { tools: [{ type: 'mcp', server_label: 'a', server_url: 'https://example.com' }] },
  { temperature: 3 },
  { metadata: { order: 17 } },
  { include: ['message.output_text.logprobs'] },
  { ['x'.repeat(300)]: 1 },
];

const isUsable = async (socket: Socket) => responseOf(await socket.ask({ input })).status === 'completed';

const countTurns = async ({ call }: Harness) =>
  (await call<{ data: unknown[] }>('GET', '/v1/turns?limit=100')).body.data.length;

test('an unknown message gets an error, and the connection stays open', async ({ harness, socket }) => {
  const messages: unknown[] = [
    ...['{', '', 'null', '7', '"response.create"', '[]', '{"type":"response.create"', '\u0000'],
    ...[{}, { model: 'test', input }, { type: null }, { type: 7 }, { type: 'response.cancel' }, { type: 'toString' }],
    { type: 'response.create ', model: 'test', input },
  ];

  for (const message of messages) {
    const error = await socket.refused(message);
    const what = JSON.stringify(message);
    expect.soft(error, what).toEqual({
      ...{ type: 'error', status: 400 },
      error: {
        type: 'invalid_request_error',
        code: expect.stringMatching(/^[a-z_]+$/),
        message: expect.stringMatching(/^[^\n]+\. [^\n]+\.$/),
        param: error.error && (error.error as { param: unknown }).param,
      },
    });
  }
  expect(await isUsable(socket)).toBe(true);
  expect(harness.modelRequests).toHaveLength(1);
});

test('a binary message is refused, and the connection stays open', async ({ socket }) => {
  const answer = await socket.refused(Buffer.from(JSON.stringify(create)));

  expect(answer).toMatchObject({ type: 'error', status: 400, error: { code: 'invalid_json' } });
  expect(await isUsable(socket)).toBe(true);
});

test('a refused create on a socket gets the status and error of HTTP', async ({ harness, socket }) => {
  for (const fields of refused) {
    const { type: _, ...request } = { ...create, ...fields };
    const answer = await harness.call<{ error: object }>('POST', '/v1/responses', { body: request });
    const what = JSON.stringify(fields);
    expect.soft(answer.status, what).toBeGreaterThanOrEqual(400);
    expect.soft(await socket.refused({ ...create, ...fields }), what).toEqual({
      ...{ type: 'error', status: answer.status, error: answer.body.error },
    });
  }
  expect(await isUsable(socket)).toBe(true);
  expect(await countTurns(harness)).toBe(1);
});

test('a message has the same limits and cleaning as an HTTP body', async ({ harness, socket }) => {
  const written = (fields: string) => `{"model":"test","input":"Hi",${fields}}`;
  const bodies = [
    `"metadata":${'['.repeat(100)}${']'.repeat(100)}`,
    `"tools":[${'{},'.repeat(110_000)}{}]`,
    '"temperature":1e999',
    '"metadata":{"__proto__":"x"}',
  ].map(written);

  for (const body of bodies) {
    const answer = await harness.call<{ error: { code: string } }>('POST', '/v1/responses', { body });
    const error = await socket.refused(body.replace('{', '{"type":"response.create",'));
    expect.soft(answer.status).toBe(400);
    expect.soft(error, body.slice(0, 80)).toMatchObject({ status: 400, error: { code: answer.body.error.code } });
  }
  const { id, output } = responseOf(await socket.ask({ input: 'a\u0000b\ud800c' }));
  expect(output).toHaveLength(1);
  const items = await harness.call('GET', `/v1/responses/${id}/input_items`);
  expect(items.body).toMatchObject({ data: [{ content: [{ text: expect.stringMatching(/^a.?b.c$/) }] }] });
});

test('a refused create request repeats its stream_id', async ({ harness }) => {
  await using socket = await openSocket(harness);
  for (const fields of [{ background: true }, { input: [] }, { previous_response_id: none }, { unknown: 1 }]) {
    const error = await socket.refused({ ...create, ...fields, stream_id: 'lane-1' });
    expect.soft(error, JSON.stringify(fields)).toMatchObject({ type: 'error', status: 400, stream_id: 'lane-1' });
  }
});

test('background is refused unless it is false or null', async ({ socket }) => {
  const error = await socket.refused({ ...create, background: true });

  const refusal = { type: 'invalid_request_error', code: 'unsupported_parameter', param: 'background' };
  expect(error).toMatchObject({ type: 'error', status: 400, error: refusal });
  for (const background of [false, null]) {
    expect(responseOf(await socket.ask({ input, background }))).toMatchObject({ background: false });
  }
});

test('stream and stream_options have no effect', async ({ socket }) => {
  const options = [
    { stream: true, stream_options: { include_obfuscation: true } },
    ...[{ stream: false }, { stream: null, stream_options: null }, { stream_options: {} }],
  ];

  for (const option of options) {
    const messages = await socket.ask({ input, ...option });
    expect(messages.map(({ type }) => type)).toEqual(PLAIN);
    expect(Object.keys(messages.find(({ type }) => type.endsWith('text.delta'))!)).not.toContain('obfuscation');
  }
});

test.each([
  ['stream_id', 'invalid_stream_id', [7, {}, [], '', 'x'.repeat(257), 'two words', 'é', 'a/b', '🐢']],
  ['generate', 'invalid_value', ['no', 0, {}]],
])('an invalid %s is refused with %s', async (param, code, values) => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  await using socket = await openSocket(harness);

  for (const value of values) {
    socket.send({ ...create, [param]: value });
    const before = socket.seen.length;
    const answer = await socket.until((seen) => seen.slice(before).find(({ type }) => /error|completed/.test(type)));
    expect.soft(answer, JSON.stringify(value).slice(0, 80)).toMatchObject({ status: 400, error: { code, param } });
    expect.soft(Object.keys(answer)).not.toContain('stream_id');
  }
  expect(await countTurns(harness)).toBe(0);
});

test.each(['stream_id', 'generate'])('a POST does not accept the field %s of a connection', async (field) => {
  await using harness = await createHarness();
  const { type: _, ...request } = create;

  const { status, body } = await harness.call('POST', '/v1/responses', { body: { ...request, [field]: true } });

  expect([status, body]).toMatchObject([400, { error: { code: 'unknown_parameter', param: field } }]);
});

test('a message above the body limit is refused without effect on other connections', async () => {
  await using harness = await createHarness({ env: { PAWL_BODY_LIMIT: '2000000' } });
  await using _worker = await startBackgroundWorker(harness);
  await using other = await openSocket(harness);
  await using socket = await openSocket(harness);

  socket.send({ ...create, instructions: 'x'.repeat(2_100_000) });
  const refusal = await Promise.race([
    socket.until((seen) => seen.find(({ type }) => type === 'error')).then(({ status }) => status),
    socket.closed.then(({ code }) => code),
  ]);

  expect([413, 1009]).toContain(refusal);
  expect(await isUsable(other)).toBe(true);
});

test('a message as large as HTTP accepts is accepted', async () => {
  await using harness = await createHarness({ env: { PAWL_BODY_LIMIT: '2000000' } });
  await using _worker = await startBackgroundWorker(harness);
  await using socket = await openSocket(harness);

  const messages = await socket.ask({ input: [user('x'.repeat(1_900_000)), user(input)] });

  expect(responseOf(messages)).toMatchObject({ status: 'completed', output: [{ content: [{ text: 'Hello.' }] }] });
});

const user = (content: string) => ({ role: 'user', content });

const PLAIN = [
  ...['created', 'in_progress', 'output_item.added', 'content_part.added', 'output_text.delta', 'output_text.done'],
  ...['content_part.done', 'output_item.done', 'completed'],
].map((name) => `response.${name}`);
