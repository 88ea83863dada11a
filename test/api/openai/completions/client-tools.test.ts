import type OpenAI from 'openai';
import { expect } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { test } from '../test.ts';
import {
  answerOf,
  city,
  cityParameters,
  clientTool,
  completing,
  type Message,
  scriptedUser,
  toolMessage,
  user,
} from './completing.ts';
import { shareHarness } from './share-harness.ts';

const sharedHarness = shareHarness();
const tools = [clientTool('get_weather'), clientTool('get_time')];
const question = scriptedUser({
  rounds: [
    {
      say: 'Let me look.',
      tools: [
        { name: 'get_weather', arguments: city, id: 'call_a' },
        { name: 'get_time', arguments: city, id: 'call_b' },
      ],
    },
    { tools: [{ name: 'get_time', arguments: { city: 'Oslo' }, id: 'call_c' }] },
  ],
  answer: 'It says: {{results}}',
});
const called = (id: string, name: string, args: object = city) => ({
  ...{ id, type: 'function' as const },
  function: { name, arguments: JSON.stringify(args) },
});
const calls = [called('call_a', 'get_weather'), called('call_b', 'get_time')];
const asked: Message = { role: 'assistant', content: 'Let me look.', tool_calls: calls };

describeQueue(({ redis }) => {
  test('a client answers tool calls in further requests, each with the whole history', async () => {
    await using harness = await createHarness({ redis });
    await using _worker = await startBackgroundWorker(harness);
    const { complete, lastSent, turnOf } = completing(harness);

    const first = await complete({ messages: [question], tools });
    const withResults = [question, answerOf(first), toolMessage('call_a'), toolMessage('call_b', 'Noon')];
    const second = await complete({ messages: withResults, tools });
    const third = await complete({
      messages: [...withResults, answerOf(second), toolMessage('call_c', '1 pm')],
      tools,
    });

    expect(first.choices).toMatchObject([{ finish_reason: 'tool_calls', message: asked }]);
    expect(second.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: null, tool_calls: [called('call_c', 'get_time', { city: 'Oslo' })] },
    });
    expect(third.choices[0]?.message.content).toBe('It says: Sunny\nNoon\n1 pm');
    expect(lastSent().messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: 'Let me look.', tool_calls: calls },
      { role: 'tool', tool_call_id: 'call_a', content: 'Sunny' },
      { role: 'tool', tool_call_id: 'call_b', content: 'Noon' },
      { role: 'assistant', tool_calls: [{ id: 'call_c' }] },
      { role: 'tool', tool_call_id: 'call_c', content: '1 pm' },
    ]);
    expect(await turnOf(first)).toMatchObject({ status: 'completed' });
  });
});

test('runTools of the OpenAI client runs a whole loop, with and without a stream', async ({ harness, worker: _ }) => {
  const { completions } = completing(harness);
  const run = (answer: string) => ({
    type: 'function' as const,
    function: {
      parameters: cityParameters,
      function: () => answer,
      parse: JSON.parse,
      description: '',
    },
  });
  const [weather, time] = [run('Sunny'), run('Noon')];
  const runnable = [
    { ...weather, function: { ...weather.function, name: 'get_weather' } },
    { ...time, function: { ...time.function, name: 'get_time' } },
  ];
  const body = { model: 'test', messages: [question], tools: runnable };

  const waited = completions.runTools(body);
  expect(await waited.finalContent()).toBe('It says: Sunny\nNoon\nNoon');
  const streamed = completions.runTools({ ...body, stream: true });

  expect(await streamed.finalContent()).toBe('It says: Sunny\nNoon\nNoon');
  expect(harness.modelRequests).toHaveLength(6);
});

test('tool messages may be in any order, and a repeated message counts once', async ({ harness, worker: _ }) => {
  const { complete, lastSent } = completing(harness);
  const results = [toolMessage('call_b', 'Noon'), toolMessage('call_a'), toolMessage('call_b', 'Noon')];

  await complete({ messages: [question, asked, ...results], tools });

  expect(lastSent().messages.slice(2)).toMatchObject([
    { role: 'tool', tool_call_id: 'call_a', content: 'Sunny' },
    { role: 'tool', tool_call_id: 'call_b', content: 'Noon' },
  ]);
});

const [a, b] = [toolMessage('call_a'), toolMessage('call_b', 'Noon')];

test.each<[string, Message[], string | RegExp, string | null]>([
  ['a tool message is missing', [question, asked, a], 'No tool output found for function call call_b', null],
  [
    'all tool messages are missing',
    [question, asked, user('And?')],
    'No tool output found for function call call_a',
    null,
  ],
  [
    'a tool message has no call',
    [question, toolMessage('call_z')],
    'No tool call found for function call output with call_id call_z',
    'messages[1].tool_call_id',
  ],
  [
    'a tool message comes before its call',
    [question, a, asked, b],
    'No tool call found for function call output with call_id call_a',
    'messages[1].tool_call_id',
  ],
  [
    'a second tool message differs',
    [question, asked, a, toolMessage('call_a', 'Rainy'), b],
    /call_a/,
    'messages[3].tool_call_id',
  ],
])('a request is refused and starts no turn if %s', async (_, messages, message, param) => {
  const error = await completing(sharedHarness()).refused({ messages, tools });

  expect(error).toMatchObject({ status: 400, code: 'tool_output_mismatch', type: 'invalid_request_error' });
  expect(error.message).toMatch(message instanceof RegExp ? message : new RegExp(`^(400 )?${message}`));
  if (param !== null) expect(error.param).toBe(param);
  const { body } = await sharedHarness().call<{ data: [] }>('GET', '/v1/turns');
  expect(body.data).toEqual([]);
});

test('a repeated call id in tool messages refers to the latest open call', async ({ harness, worker: _ }) => {
  const { complete, lastSent } = completing(harness);
  const again: Message = { role: 'assistant', tool_calls: [called('call_a', 'get_time')] };
  const once: Message = { role: 'assistant', tool_calls: [called('call_a', 'get_weather')] };

  const completion = await complete({
    messages: [question, once, a, again, toolMessage('call_a', 'Noon'), user('And now?')],
  });

  expect(completion.choices[0]?.finish_reason).toBe('stop');
  expect(lastSent().messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : []))).toEqual([
    'Sunny',
    'Noon',
  ]);
});

test('parts of a tool message are text, and arguments are not checked', async ({ harness, worker: _ }) => {
  const { complete, lastSent } = completing(harness);
  const broken = { ...calls[0]!, function: { name: 'get_weather', arguments: '{"city":' } };
  const parts: OpenAI.Chat.ChatCompletionContentPartText[] = [
    { type: 'text', text: 'Sunny, ' },
    { type: 'text', text: 'warm' },
  ];
  const messages: Message[] = [
    ...[user('Hi'), { role: 'assistant' as const, tool_calls: [broken] }],
    { role: 'tool', tool_call_id: 'call_a', content: parts },
  ];

  const { choices } = await complete({ messages, tools });

  expect(choices[0]?.finish_reason).toBe('stop');
  expect(lastSent().messages.at(-1)).toMatchObject({
    role: 'tool',
    content: expect.stringMatching(/^Sunny, \n?warm$/),
  });
});

test('a client function takes precedence over a server tool of the same name', async ({ harness, worker: _ }) => {
  const { complete, lastSent } = completing(harness);
  const messages = [scriptedUser({ rounds: [{ tools: [{ name: 'weather_lookup', arguments: city, id: 'mine' }] }] })];

  const { choices } = await complete({ messages, tools: [clientTool('weather_lookup')] });

  expect(choices).toMatchObject([{ finish_reason: 'tool_calls', message: { tool_calls: [{ id: 'mine' }] } }]);
  expect(lastSent().tools).toMatchObject([{ function: { name: 'weather_lookup', parameters: cityOnly } }]);
});

const cityOnly = { properties: { city: { type: 'string' } } };
