import { expect } from 'vitest';
import { RESPONSE_BASES } from '#services/api/http/response-base.ts';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../../test.ts';
import { asInput, compacting, lastMessages } from '../compacting/compact-history.ts';
import { type Message, openSocket, responseOf, type Socket } from '../websocket/open-socket.ts';
import { checkedEvents } from './ask.ts';

// The WebSocket cases of the Open Responses compliance suite, with a scripted model.

const message = (content: string) => ({ type: 'message', role: 'user', content });
const hello = scripted({ answer: 'Hello there, friend.' });
const getWeather = {
  ...{ type: 'function', name: 'get_weather', description: 'Get the current weather for a location' },
  parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
};
const asksForWeather = scripted({
  rounds: [{ tools: [{ name: 'get_weather', arguments: { location: 'Lisbon' }, id: 'call_1' }] }],
  answer: 'It is sunny.',
});
const output = { type: 'function_call_output', call_id: 'call_1', output: '{"temperature":20}' };
const says = (text: string) => ({ status: 'completed', output: [{ type: 'message', content: [{ text }] }] });
const notFound = {
  ...{ type: 'error', status: 400 },
  error: {
    ...{ type: 'invalid_request_error', code: 'previous_response_not_found', param: 'previous_response_id' },
    message: expect.any(String),
  },
};

/** Returns the response of a create. Expects its events to have the shapes of the suite, with one last event. */
async function respond(socket: Socket, fields: object) {
  const messages = await socket.ask(fields);
  const events = checkedEvents(messages);
  expect(events.map(({ type }) => type).slice(0, 2)).toEqual(['response.created', 'response.in_progress']);
  expect(events.filter(isLast)).toEqual([events.at(-1)]);
  return responseOf(messages);
}

const isLast = ({ type }: { type: string }) => /^response\.(completed|failed|incomplete)$|^error$/.test(type);
const errorOf = async (socket: Socket, fields: object) => (await socket.ask(fields)).at(-1) as Message;

describeQueue(({ redis }) => {
  test.each(RESPONSE_BASES)('websocket-response: a socket under %s streams a response', async (base) => {
    await using harness = await createHarness({ redis });
    await using _worker = await startBackgroundWorker(harness);
    await using socket = await openSocket(harness, { base });

    expect(await respond(socket, { input: [message(hello)] })).toMatchObject(says('Hello there, friend.'));
    expect(socket.seen.filter(isLast)).toHaveLength(1);
  });
});

test('websocket-sequential-responses: a socket streams two responses in sequence', async ({ socket }) => {
  const first = await respond(socket, { input: [message(hello)] });
  const second = await respond(socket, { input: [message(scripted({ answer: 'Good bye.' }))] });

  expect(first).toMatchObject(says('Hello there, friend.'));
  expect(second).toMatchObject(says('Good bye.'));
  expect(second.id).not.toBe(first.id);
});

test('websocket-continuation: a socket continues a response with store false', async ({ harness, socket }) => {
  const tools = [getWeather];

  const called = await respond(socket, { input: [message(asksForWeather)], tools, store: false });
  const next = { input: [output], tools, store: false, previous_response_id: called.id };
  const answered = await respond(socket, next);
  const last = await respond(socket, { input: [message(hello)], store: false, previous_response_id: answered.id });

  expect(called.output).toMatchObject([{ type: 'function_call', name: 'get_weather', call_id: 'call_1' }]);
  expect(answered).toMatchObject({ ...says('It is sunny.'), previous_response_id: called.id, store: false });
  expect(last).toMatchObject(says('Hello there, friend.'));
  expect(lastMessages(harness).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
});

test('websocket-previous-response-not-found: a socket stays usable', async () => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  await using socket = await openSocket(harness);
  const unknown = { input: [message(hello)], previous_response_id: 'resp_01kagz8m4pfvbte2n5q7rys3wx' };

  for (const store of [true, false]) expect(await errorOf(socket, { ...unknown, store })).toEqual(notFound);
  expect(await errorOf(socket, { ...unknown, previous_response_id: 'resp_unknown' })).toEqual(notFound);

  expect(await respond(socket, { input: [message(hello)] })).toMatchObject(says('Hello there, friend.'));
});

test('websocket-reconnect: a new socket continues with the whole context', async ({ harness, worker: _ }) => {
  await using first = await openSocket(harness);
  const tools = [getWeather];
  const input = [message(asksForWeather)];
  const called = await respond(first, { input, tools, store: false });
  first.close();
  await first.closed;
  await using second = await openSocket(harness);

  const lost = await errorOf(second, { input: [output], tools, store: false, previous_response_id: called.id });
  const answered = await respond(second, { input: [...input, ...called.output, output], tools, store: false });
  const next = { input: [message(hello)], store: false, previous_response_id: answered.id };

  expect(lost).toEqual(notFound);
  expect(answered).toMatchObject(says('It is sunny.'));
  expect(await respond(second, next)).toMatchObject(says('Hello there, friend.'));
  expect(lastMessages(harness).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
});

test('websocket-failed-continuation-evicts-cache: a socket drops the response', async () => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  await using socket = await openSocket(harness);
  const called = await respond(socket, { input: [message(asksForWeather)], tools: [getWeather], store: false });
  const next = { tools: [getWeather], store: false, previous_response_id: called.id };

  const wrong = await errorOf(socket, { ...next, input: [{ ...output, call_id: 'call_unknown' }] });
  const evicted = await errorOf(socket, { ...next, input: [output] });

  expect(wrong).toMatchObject({ type: 'error', status: 400, error: { type: 'invalid_request_error' } });
  expect(wrong.error).not.toMatchObject({ code: 'previous_response_not_found' });
  expect(evicted).toEqual(notFound);
  expect(await respond(socket, { input: [message(hello)] })).toMatchObject(says('Hello there, friend.'));
});

test('websocket-compacted-window: a compaction begins a new chain on a socket', async ({ harness, socket }) => {
  const long = scripted({ answer: 'Hello, Ada.', summary: { say: 'Ada said hello.' } });
  const first = await respond(socket, { input: [message(long)] });
  const compacted = await compacting(harness).compact({ previous_response_id: first.id });

  const input = [...asInput(compacted), message(hello)];
  const begun = await respond(socket, { input, store: false, previous_response_id: null });
  const next = { input: [message('And?')], store: false, previous_response_id: begun.id };
  const continued = await respond(socket, next);

  expect(begun).toMatchObject({ ...says('Hello there, friend.'), previous_response_id: null });
  expect(continued.status).toBe('completed');
  expect(lastMessages(harness)).toMatchObject([
    { role: 'user', content: long },
    { role: 'user', content: expect.stringContaining('Ada said hello.') },
    ...[{ content: hello }, { content: 'Hello there, friend.' }, { content: 'And?' }],
  ]);
});
