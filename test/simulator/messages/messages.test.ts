import Anthropic from '@anthropic-ai/sdk';
import { test as base, expect } from 'vitest';
import { startSimulator } from '#simulator/start-simulator.ts';
import { opening } from '#test/harness/opening.ts';

type Params = Partial<Anthropic.Messages.MessageCreateParamsNonStreaming>;

async function askMessages() {
  const simulator = await startSimulator();
  const baseURL = `http://127.0.0.1:${simulator.port}`;
  const { messages } = new Anthropic({ baseURL, apiKey: 'none', maxRetries: 0, logLevel: 'off' });
  return {
    create: (sim: object, params: Params = {}) => messages.create(paramsOf(sim, params)),
    stream: (sim: object, params: Params = {}) => messages.stream(paramsOf(sim, params)),
    [Symbol.asyncDispose]: () => simulator.stop(),
  };
}

function paramsOf(sim: object, params: Params): Anthropic.Messages.MessageCreateParamsNonStreaming {
  const messages = [{ role: 'user' as const, content: JSON.stringify({ sim }) }];
  return { model: 'demo', max_tokens: 100, messages, ...params };
}

const test = base.extend('model', opening(askMessages));

const tools = [{ name: 'get_weather', input_schema: { type: 'object' as const } }];
const rounds = [
  { reasoning: 'Hm.', say: 'Let me look.', tools: [{ name: 'get_weather', arguments: { city: 'Tokyo' } }] },
];

test('a message has thoughts, text and calls, as a whole and as a stream', async ({ model }) => {
  const whole = await model.create({ rounds, piece_chars: 3 }, { tools });
  const streamed = await model.stream({ rounds, piece_chars: 3 }, { tools }).finalMessage();

  const expected = {
    role: 'assistant',
    stop_reason: 'tool_use',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: expect.any(String) },
      { type: 'text', text: 'Let me look.' },
      { type: 'tool_use', name: 'get_weather', input: { city: 'Tokyo' } },
    ],
    usage: { service_tier: 'standard', output_tokens: expect.any(Number) },
  };
  expect(whole).toMatchObject(expected);
  expect(streamed).toMatchObject(expected);
});

test('a message after a result of a tool quotes the result', async ({ model }) => {
  const [said] = paramsOf({ rounds, answer: 'It says: {{results}}' }, {}).messages;
  const call = { type: 'tool_use' as const, id: 'call_1', name: 'get_weather', input: {} };
  const result = { type: 'tool_result' as const, tool_use_id: 'call_1', content: 'Sunny' };

  const { content } = await model.create(
    {},
    { tools, messages: [said!, { role: 'assistant', content: [call] }, { role: 'user', content: [result] }] },
  );

  expect(content).toMatchObject([{ type: 'text', text: 'It says: Sunny' }]);
});

test('a message respects tool_choice and the schema of its output', async ({ model }) => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

  const none = await model.create({ rounds }, { tools, tool_choice: { type: 'none' } });
  const named = await model.create(
    { x: 1 },
    { tools, tool_choice: { type: 'tool', name: 'get_weather' }, messages: [{ role: 'user', content: 'Hi' }] },
  );
  const json = await model.create({}, { output_config: { format: { type: 'json_schema', schema } } });

  expect(none.content).toMatchObject([{ text: 'Done.' }]);
  expect(named.content).toMatchObject([{ type: 'text' }, { type: 'tool_use', name: 'get_weather' }]);
  expect(json.content).toMatchObject([{ text: '{"city":"city"}' }]);
});

test.for<[reason: string, params: object, message: string]>([
  ['has no max_tokens', { max_tokens: undefined }, 'max_tokens: Field required'],
  ['has a field of another wire', { stop: ['x'] }, 'stop: Extra inputs are not permitted'],
  ['starts with the assistant', { messages: [{ role: 'assistant', content: 'Hi' }] }, 'first message'],
  ['has an empty text', { messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] }, 'messages.0.content'],
  [
    'has a result without its call',
    { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1' }] }] },
    'call_1',
  ],
])('a Messages request is refused if it %s', async ([_reason, params, message], { model }) => {
  const refused = model.create({}, params);

  await expect(refused).rejects.toMatchObject({
    status: 400,
    error: { type: 'error', error: { type: 'invalid_request_error', message: expect.stringContaining(message) } },
  });
});

test('a scripted fault of a message has the form of Anthropic', async ({ model }) => {
  const faultOf = (fault: object) => ({ answer: 'Sunny.', piece_chars: 2, final: { fault } });

  await expect(model.create(faultOf({ kind: 'status', status: 529 }))).rejects.toMatchObject({
    status: 529,
    error: { error: { type: 'overloaded_error' } },
  });
  for (const kind of ['error_event', 'cut']) {
    await expect(model.stream(faultOf({ kind, after_chars: 2 })).finalMessage()).rejects.toThrow();
  }
});
