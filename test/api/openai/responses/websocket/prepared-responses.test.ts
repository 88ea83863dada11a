import { expect } from 'vitest';
import { RESPONSE_BASES } from '#services/api/http/response-base.ts';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../../test.ts';
import { checkedEvents, responsesOf } from '../compliance/ask.ts';
import { openSocket, responseOf } from './open-socket.ts';

// Responses that a client prepares with `generate: false`.

const locate = { type: 'function', name: 'locate', parameters: { type: 'object', properties: {} } };
const sent = ({ modelRequests }: Harness) => modelRequests.at(-1)!.body.messages;

test.each(RESPONSE_BASES)('a response under %s with generate false sends no request to a model', async (base) => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  await using socket = await openSocket(harness, { base });

  const messages = await socket.ask({ input: 'I am Ada.', generate: false, tools: [locate], stream_id: 'one' });

  expect(messages.map(({ type }) => type)).toEqual([
    ...['response.created', 'response.in_progress', 'response.completed'],
  ]);
  expect(messages.every(({ stream_id }) => stream_id === 'one')).toBe(true);
  checkedEvents(messages.map(({ stream_id: _, ...event }) => event));
  const { id, ...response } = responseOf(messages);
  expect(response).toMatchObject({ status: 'completed', output: [], error: null, store: true, background: false });
  expect(response.tools).toMatchObject([{ name: 'locate' }]);
  expect(await responsesOf(harness, base).retrieve(id)).toEqual({ id, ...response });
  expect(harness.modelRequests).toEqual([]);
});

test.for([{ store: true }, { store: false }])(
  'a prepared response with %o is continued on its socket',
  async (store, { harness, socket }) => {
    const prepared = responseOf(
      await socket.ask({ ...store, input: 'I am Ada.', instructions: 'Be brief.', generate: false, tools: [locate] }),
    );

    const next = responseOf(await socket.ask({ ...store, input: 'Who am I?', previous_response_id: prepared.id }));

    expect(next).toMatchObject({ status: 'completed', previous_response_id: prepared.id, ...store });
    expect(sent(harness)).toMatchObject([
      { role: 'user', content: 'I am Ada.' },
      { role: 'user', content: 'Who am I?' },
    ]);
    expect(harness.modelRequests).toHaveLength(1);
  },
);

test('a stored prepared response is continued over HTTP and on another socket', async ({ harness, socket }) => {
  await using other = await openSocket(harness);
  const { id } = responseOf(await socket.ask({ input: 'I am Ada.', generate: false }));
  const body = { input: 'Who am I?', previous_response_id: id };

  await responsesOf(harness).create(body);
  const overHttp = sent(harness);
  await other.ask(body);

  expect(overHttp).toMatchObject([{ content: 'I am Ada.' }, { content: 'Who am I?' }]);
  expect(sent(harness)).toMatchObject([{ content: 'I am Ada.' }, { content: 'Who am I?' }]);
});

test('an unstored prepared response is found on its own socket only', async ({ harness, socket }) => {
  await using other = await openSocket(harness);
  const { id } = responseOf(await socket.ask({ input: 'I am Ada.', generate: false, store: false }));

  const body = { model: 'test', input: 'Who am I?', previous_response_id: id };
  const answer = await harness.call('POST', '/v1/responses', { body });
  const error = await other.refused({ type: 'response.create', ...body });

  expect((await harness.call('GET', `/v1/responses/${id}`)).status).toBe(404);
  expect(answer).toMatchObject({ status: 400, body: { error: { code: 'previous_response_not_found' } } });
  expect(error).toMatchObject({ status: 400, error: { code: 'previous_response_not_found' } });
});

test.each([{ store: true }, { store: false }])(
  'a prepared response with %o may contain tool outputs',
  async (store) => {
    await using harness = await createHarness();
    await using _worker = await startBackgroundWorker(harness);
    await using socket = await openSocket(harness);
    const tools = [locate];
    const asks = scripted({ rounds: [{ tools: [{ name: 'locate', id: 'call_1' }] }], answer: 'You are in Rome.' });
    const called = responseOf(await socket.ask({ ...store, input: asks, tools }));
    const output = { type: 'function_call_output', call_id: 'call_1', output: 'Rome' };

    const next = { ...store, tools, input: [output], previous_response_id: called.id, generate: false };
    const prepared = responseOf(await socket.ask(next));
    const said = responseOf(await socket.ask({ ...store, tools, input: [], previous_response_id: prepared.id }));

    expect(prepared.output).toEqual([]);
    expect(said.output).toMatchObject([{ content: [{ text: 'You are in Rome.' }] }]);
    expect(sent(harness)).toMatchObject([{ role: 'user' }, { tool_calls: [{ id: 'call_1' }] }, { content: 'Rome' }]);
  },
);

test('a prepared response is validated like any other response', async ({ harness }) => {
  await using socket = await openSocket(harness);
  for (const [fields, param] of [
    [{ input: [{ type: 'function_call_output', call_id: 'call_1', output: 'x' }] }, 'input[0].call_id'],
    [{ input: 'Hi', tools: [{ type: 'web_search' }] }, 'tools[0].type'],
    [{ input: 'Hi', background: true }, 'background'],
    [{ input: 'Hi', temperature: 7 }, 'temperature'],
  ] as const) {
    const error = await socket.refused({ type: 'response.create', model: 'test', ...fields, generate: false });
    expect.soft(error).toMatchObject({ status: 400, error: { param } });
  }
});

test('a prepared response that would have to wait is refused, and not stored', async ({ harness }) => {
  await using socket = await openSocket(harness);
  const first = { model: 'openai/test', input: 'Hi', background: true };
  const { body } = await harness.call<{ id: string }>('POST', '/v1/responses', { body: first });

  const error = await socket.refused({
    ...{ type: 'response.create', model: 'test', input: 'I am Ada.', generate: false },
    previous_response_id: body.id,
  });

  expect(error).toMatchObject({ error: { code: 'previous_response_not_finished', param: 'generate' } });
  const turns = await harness.call<{ data: { id: string }[] }>('GET', '/v1/turns');
  expect(turns.body.data.map(({ id }) => id)).toEqual([body.id.replace('resp_', 'turn_')]);
});

test('generate true or null sends the request to the model', async ({ socket }) => {
  for (const generate of [true, null]) {
    const { output } = responseOf(await socket.ask({ input: scripted({ answer: 'Hello.' }), generate }));
    expect(output).toMatchObject([{ content: [{ text: 'Hello.' }] }]);
  }
});
