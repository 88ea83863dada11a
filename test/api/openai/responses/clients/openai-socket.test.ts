import type OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { expect } from 'vitest';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../../test.ts';
import { openaiClient } from '../openai-client.ts';

// The WebSocket class of OpenAI's client.

type Create = Omit<Extract<OpenAI.Responses.ResponsesClientEvent, { type: 'response.create' }>, 'type'>;
type ServerEvent = OpenAI.Responses.ResponsesServerEvent;
type ResponsesStreamMessage = NonNullable<Awaited<ReturnType<ReturnType<ResponsesWS['stream']>['next']>>['value']>;

const weather = {
  ...{ type: 'function' as const, name: 'get_weather', description: 'Tells the weather', strict: null },
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
};
const asks = scripted({
  rounds: [{ tools: [{ name: 'get_weather', arguments: { city: 'Rome' }, id: 'call_1' }] }],
  answer: '{{results}}',
});

/** Connects a client to a socket. `ask` returns the events of one response. */
function connect(harness: Pick<Harness, 'url'>, base: '/v1' | '/openai/v1' = '/v1', apiKey = 'none') {
  const socket = new ResponsesWS(openaiClient(harness, base, apiKey));
  socket.on('error', () => {});
  const stream = socket.stream();
  async function next(): Promise<ServerEvent[]> {
    const { value, done } = await stream.next();
    if (done) throw new Error('The socket was closed.');
    return eventsIn(value);
  }
  async function ask(body: Create): Promise<ServerEvent[]> {
    socket.send({ type: 'response.create', model: 'test', ...body });
    const events = await next();
    while (!LAST.test(events.at(-1)?.type ?? '')) events.push(...(await next()));
    return events;
  }
  return { socket, stream, ask, [Symbol.asyncDispose]: async () => socket.close() };
}

const LAST = /^(error|response\.(completed|failed|incomplete))$/;

/** Returns the event of the server in a message of the client's stream. Throws errors of the connection. */
function eventsIn(message: ResponsesStreamMessage): ServerEvent[] {
  if (message.type === 'message') return [message.message];
  if (message.type !== 'error') return [];
  if (message.error.error) return [message.error.error as ServerEvent];
  throw message.error;
}

function completed(events: ServerEvent[]): OpenAI.Responses.Response {
  const last = events.at(-1);
  if (last?.type === 'response.completed') return last.response;
  throw new Error(`The last event is ${JSON.stringify(last)}.`);
}

describeQueue(({ redis }) => {
  test.each(['/v1', '/openai/v1'] as const)(
    'a socket of the OpenAI client runs a tool under %s, without store',
    async (base) => {
      await using harness = await createHarness({ redis, env: { PAWL_API_KEYS: 'alpha:key-a' } });
      await using _worker = await startBackgroundWorker(harness);
      await using client = connect(harness, base, 'key-a');
      const tools = [weather];

      const called = completed(await client.ask({ input: asks, tools, store: false }));
      const call = called.output.find((item) => item.type === 'function_call')!;
      const input = [{ type: 'function_call_output' as const, call_id: call.call_id, output: 'Sunny.' }];
      const events = await client.ask({ input, tools, store: false, previous_response_id: called.id });

      const deltas = events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : ''));
      expect(deltas.join('')).toBe('Sunny.');
      expect(completed(events).output).toMatchObject([{ content: [{ text: 'Sunny.' }] }]);
      expect(harness.modelRequests.at(-1)?.body.messages.map(({ role }) => role)).toEqual([
        'user',
        'assistant',
        'tool',
      ]);
    },
  );
});

test('a socket of the OpenAI client runs lanes in parallel', async ({ harness, worker: _ }) => {
  await using client = connect(harness);
  const lanes = ['planner', 'research'];

  for (const stream_id of lanes) {
    client.socket.send({ type: 'response.create', model: 'test', stream_id, input: scripted({ answer: stream_id }) });
  }
  const texts = new Map<string, string>();
  for await (const event of client.stream) {
    if (event.type !== 'message' || event.message.type !== 'response.completed') continue;
    const [item] = event.message.response.output;
    const [part] = item?.type === 'message' ? item.content : [];
    texts.set(event.message.stream_id ?? '', part?.type === 'output_text' ? part.text : '');
    if (texts.size === lanes.length) break;
  }

  expect(Object.fromEntries(texts)).toEqual({ planner: 'planner', research: 'research' });
});

test('a socket of the OpenAI client reports errors and stays usable', async ({ harness, worker: _ }) => {
  await using client = connect(harness);

  const refused = await client.ask({ input: 'Hi', previous_response_id: 'resp_unknown' });
  const fails = scripted({ final: { fault: { kind: 'status', status: 401 } } });
  const failed = await client.ask({ input: fails });

  expect(refused).toMatchObject([{ type: 'error', status: 400, error: { code: 'previous_response_not_found' } }]);
  expect(failed.at(-1)).toMatchObject({ type: 'response.failed', response: { status: 'failed' } });
  expect(completed(await client.ask({ input: scripted({ answer: 'Hello.' }) })).status).toBe('completed');
});

test('a socket of the OpenAI client receives the failure of a steering message', async ({ harness }) => {
  await using client = connect(harness);
  const failed = Promise.withResolvers<OpenAI.Responses.ResponseSteerFailedEvent>();
  client.socket.on('response.steer.failed', failed.resolve);

  client.socket.send({ type: 'response.steer', previous_response_id: 'resp_unknown', input: 'Be brief.' });

  expect(await failed.promise).toMatchObject({
    ...{ steer: { previous_response_id: 'resp_unknown', input: 'Be brief.' } },
    error: { type: 'invalid_request_error', code: 'steering_not_supported' },
  });
});

test('a socket of the OpenAI client is refused with a wrong key', async () => {
  await using harness = await createHarness({ env: { PAWL_API_KEYS: 'alpha:key-a' } });
  await using client = connect(harness, '/v1', 'key-b');

  await expect(client.ask({ input: 'Hi' })).rejects.toThrow(/401/);
});

test('a socket of the OpenAI client warms up without a model, and continues', async ({ harness, worker: _ }) => {
  await using client = connect(harness);
  const input = [{ role: 'developer' as const, content: 'Answer in French.' }];

  const warm = completed(await client.ask({ input, tools: [weather], store: false, generate: false }));
  const next = { store: false, previous_response_id: warm.id, input: scripted({ answer: 'Oui.' }) };
  const said = completed(await client.ask(next));

  expect(warm.output).toEqual([]);
  expect(said.output).toMatchObject([{ content: [{ text: 'Oui.' }] }]);
  expect(harness.modelRequests).toHaveLength(1);
  expect(JSON.stringify(harness.modelRequests[0]?.body.messages)).toContain('Answer in French.');
});
