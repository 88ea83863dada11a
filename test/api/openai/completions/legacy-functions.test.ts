import { expect } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { test } from '../test.ts';
import {
  answerOf,
  city,
  cityParameters,
  clientTool,
  completing,
  type Message,
  scriptedUser,
  user,
} from './completing.ts';
import { deltasOf, openCompletionStream } from './completion-stream.ts';
import { shareHarness } from './share-harness.ts';

const sharedHarness = shareHarness();
const functions = [{ name: 'get_weather', description: 'Reports the weather', parameters: cityParameters }];
const question = scriptedUser({
  rounds: [{ tools: [{ name: 'get_weather', arguments: city }] }],
  answer: 'It says: {{results}}',
});
const call = { name: 'get_weather', arguments: JSON.stringify(city) };

test('a call of functions is a function_call, and a function message answers it', async ({ harness, worker: _ }) => {
  const { complete, lastSent } = completing(harness);

  const first = await complete({ messages: [question], functions, function_call: 'auto' });
  const result: Message = { role: 'function', name: 'get_weather', content: 'Sunny' };
  const second = await complete({ messages: [question, answerOf(first), result], functions });

  expect(first.choices).toMatchObject([
    { finish_reason: 'function_call', message: { role: 'assistant', content: null, function_call: call } },
  ]);
  expect(first.choices[0]?.message).not.toHaveProperty('tool_calls');
  expect(second.choices).toMatchObject([{ finish_reason: 'stop', message: { content: 'It says: Sunny' } }]);
  const [, sentCall, sentResult] = lastSent().messages as { tool_calls?: { id: string }[]; tool_call_id?: string }[];
  expect(sentCall?.tool_calls).toMatchObject([{ type: 'function', function: call }]);
  expect(sentResult).toMatchObject({ role: 'tool', tool_call_id: sentCall?.tool_calls?.[0]?.id, content: 'Sunny' });
});

test('a streamed call of functions is one delta with a function_call', async ({ harness, worker: _ }) => {
  const stream = await openCompletionStream(harness, { body: { messages: [question], functions } });
  await stream.over;

  const chunks = stream.chunks();
  expect(deltasOf(chunks).filter((delta) => 'function_call' in delta)).toEqual([{ function_call: call }]);
  expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('function_call');
  expect(JSON.stringify(chunks)).not.toContain('tool_calls');
});

test.each([
  ['none', 'none', 'stop'],
  [{ name: 'get_weather' }, { type: 'function', function: { name: 'get_weather' } }, 'function_call'],
])('function_call %j becomes a tool_choice for the model', async (function_call, sent, finish_reason) => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  const { complete, lastSent } = completing(harness);

  const { choices } = await complete({ messages: [user('Rome?')], functions, function_call });

  expect(lastSent().tool_choice).toEqual(sent);
  expect(choices[0]?.finish_reason).toBe(finish_reason);
});

test('a reply with two calls of functions shows a call, and the next request is valid', async () => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  const { complete } = completing(harness);
  const twice = scriptedUser({
    rounds: [{ tools: [functions[0]!, functions[0]!].map(({ name }) => ({ name, arguments: city })) }],
    answer: 'It says: {{results}}',
  });

  const first = await complete({ messages: [twice], functions });
  const result: Message = { role: 'function', name: 'get_weather', content: 'Sunny' };
  const second = await complete({ messages: [twice, answerOf(first), result], functions });

  expect(first.choices[0]?.message.function_call).toEqual(call);
  expect(second.choices[0]?.message.content).toBe('It says: Sunny');
});

const result: Message = { role: 'function', name: 'get_weather', content: 'Sunny' };

test.each([
  ['functions[0].name', { functions: [{}] }],
  ['functions[0].name', { functions: [{ name: 'a b' }] }],
  ['functions', { functions, tools: [clientTool('a')] }],
  ['function_call.name', { functions, function_call: { name: 'other' } }],
  ['function_call', { functions, function_call: 'sometimes' }],
  ['messages[1]', { messages: [question, result] }],
  ['messages[2]', { messages: [question, { role: 'assistant', function_call: call }, { ...result, name: 'other' }] }],
])('a request with functions is refused at %s', async (param, body) => {
  const error = await completing(sharedHarness()).refused({ messages: [user('Hi')], ...body });

  expect(error.status).toBe(400);
  expect(error.param?.slice(0, param.length)).toBe(param);
});

test.each([
  ['no result', [question, { role: 'assistant', function_call: call }, user('And?')]],
  ['a result twice', [question, { role: 'assistant', function_call: call }, result, { ...result, content: 'Rainy' }]],
])('a refusal of functions with %s names only ids that the client sent', async (_, messages) => {
  const error = await completing(sharedHarness()).refused({ messages, functions });

  expect(error).toMatchObject({ status: 400, code: 'tool_output_mismatch' });
  expect(`${error.message} ${error.param}`).not.toMatch(/function_call_\d|call_id/);
});
