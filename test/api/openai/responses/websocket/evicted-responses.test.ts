import { expect } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../../test.ts';
import { openSocket, responseOf, type Socket } from './open-socket.ts';

// Responses that a connection has dropped, or never kept.

const notFound = {
  ...{ type: 'error', status: 400 },
  error: {
    ...{ type: 'invalid_request_error', code: 'previous_response_not_found', param: 'previous_response_id' },
    message: expect.any(String),
  },
};
const tools = [{ type: 'function', name: 'locate', parameters: { type: 'object', properties: {} } }];
const calling = scripted({ rounds: [{ tools: [{ name: 'locate', id: 'call_1' }] }], answer: 'Done.' });
const fails = scripted({ final: { fault: { kind: 'status', status: 401 } } });

const ask = async (socket: Socket, fields: object) =>
  responseOf(await socket.ask({ input: 'Hi', store: false, ...fields }));
const follow = (id: string, fields: object = {}) => ({
  input: 'Next.',
  store: false,
  previous_response_id: id,
  ...fields,
});
const lastOf = async (socket: Socket, fields: object) => (await socket.ask(fields)).at(-1);

test('a kept response is not found on another connection or over HTTP', async ({ harness, socket }) => {
  await using other = await openSocket(harness);
  const { id } = await ask(socket, {});

  expect(await lastOf(other, follow(id))).toEqual(notFound);
  const body = { model: 'test', ...follow(id) };
  expect(await harness.call('POST', '/v1/responses', { body })).toMatchObject({
    ...{ status: 400, body: { error: notFound.error } },
  });
  for (const path of ['', '/input_items', '?stream=true']) {
    expect.soft((await harness.call('GET', `/v1/responses/${id}${path}`)).status).toBe(404);
  }
  expect((await ask(socket, follow(id))).status).toBe('completed');
  socket.close();
  await socket.closed;
  await using again = await openSocket(harness);
  expect(await lastOf(again, follow(id))).toEqual(notFound);
});

test('a kept response of another project is not found', async () => {
  await using harness = await createHarness({ env: { PAWL_API_KEYS: 'alpha:key-a,beta:key-b' } });
  await using _worker = await startBackgroundWorker(harness);
  await using socket = await openSocket(harness, { key: 'key-a' });
  await using other = await openSocket(harness, { key: 'key-b' });
  const { id } = await ask(socket, {});

  expect(await lastOf(other, follow(id))).toEqual(notFound);
});

test('a connection keeps the last response of a lane only', async ({ socket }) => {
  const first = await ask(socket, {});
  const second = await ask(socket, follow(first.id));

  expect(await lastOf(socket, follow(first.id))).toEqual(notFound);
  expect((await ask(socket, follow(second.id))).status).toBe('completed');
});

const failures: [string, object, object][] = [
  ['lacks the output of a call', {}, { type: 'error', error: { code: 'tool_output_mismatch' } }],
  ['names an unknown field', { inptu: 'Hi' }, { type: 'error', error: { code: 'unknown_parameter' } }],
  ['has a value out of range', { temperature: 7 }, { type: 'error', error: { param: 'temperature' } }],
  [
    'fails at the provider',
    {
      input: [
        { type: 'function_call_output', call_id: 'call_1', output: 'x' },
        { role: 'user', content: fails },
      ],
    },
    { type: 'response.failed' },
  ],
];

test.each(failures)('a kept response is not found after a request that %s', async (_, fields, last) => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  await using socket = await openSocket(harness);
  const { id } = await ask(socket, { input: calling, tools });

  expect(await lastOf(socket, follow(id, fields))).toMatchObject(last);
  expect(await lastOf(socket, follow(id))).toEqual(notFound);
  const input = [{ type: 'function_call_output', call_id: 'call_1', output: 'x' }];
  expect(await lastOf(socket, follow(id, { input }))).toEqual(notFound);

  expect((await ask(socket, {})).status).toBe('completed');
});

test('a failed request that does not follow a kept response does not evict it', async ({ socket }) => {
  const stored = responseOf(await socket.ask({ input: 'Hi' }));
  const { id } = await ask(socket, { stream_id: 'one' });

  for (const fields of [
    { input: 'Hi', temperature: 7 },
    follow('resp_01kagz8m4pfvbte2n5q7rys3wx'),
    follow(stored.id, { temperature: 7 }),
  ]) {
    expect((await lastOf(socket, fields))?.type).toBe('error');
  }
  await socket.refused('This is not JSON.');

  expect((await ask(socket, follow(id, { stream_id: 'one' }))).status).toBe('completed');
});

test('a stored response is still found after a request that followed it fails', async ({ socket }) => {
  const { id } = responseOf(await socket.ask({ input: 'Hi' }));

  expect((await lastOf(socket, { input: 'Next.', previous_response_id: id, temperature: 7 }))?.type).toBe('error');
  expect((await lastOf(socket, { input: fails, previous_response_id: id }))?.type).toBe('response.failed');

  expect(responseOf(await socket.ask({ input: 'Next.', previous_response_id: id })).status).toBe('completed');
});

test('an output without a call in the kept response is refused', async ({ socket }) => {
  const { id } = await ask(socket, { input: calling, tools });
  const outputs = ['call_1', 'call_2'].map((call_id) => ({ type: 'function_call_output', call_id, output: 'x' }));

  const error = await lastOf(socket, follow(id, { input: outputs }));

  const message = expect.stringMatching(/^No tool call found for function call output/);
  expect(error).toMatchObject({ error: { code: 'tool_output_mismatch', param: 'input[1].call_id', message } });
});
