import { expect } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { test } from '../test.ts';
import { answerOf, clientTool, completing, scriptedUser, toolMessage, user } from './completing.ts';
import { shareHarness } from './share-harness.ts';

const sharedHarness = shareHarness();
const tools = [clientTool('get_weather'), clientTool('get_time')];
const choose = (name: string) => ({ type: 'function', function: { name } });
const custom = {
  type: 'custom',
  custom: {
    ...{ name: 'patch', description: 'Patches a file.' },
    format: { type: 'grammar', grammar: { syntax: 'regex', definition: '[a-z]+' } },
  },
};

test.each([
  ['auto', undefined],
  ['none', 'none'],
  ['required', 'required'],
  [choose('get_time'), choose('get_time')],
])('tool_choice %j reaches the model, and the answer keeps to it', async (tool_choice, sent) => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  const { complete, lastSent } = completing(harness);

  const { choices } = await complete({ messages: [user('Rome?')], tools, tool_choice });

  expect(lastSent().tool_choice ?? 'auto').toEqual(sent ?? 'auto');
  expect(choices[0]?.finish_reason).toBe(tool_choice === 'none' ? 'stop' : 'tool_calls');
});

test('allowed_tools offers only the tools that it names', async ({ harness, worker: _ }) => {
  const { complete, lastSent } = completing(harness);
  const allowed_tools = { mode: 'required', tools: [choose('get_time')] };

  const { choices } = await complete({
    ...{ messages: [user('Rome?')], tools, tool_choice: { type: 'allowed_tools', allowed_tools } },
  });

  expect(lastSent()).toMatchObject({ tool_choice: 'required', tools: [{ function: { name: 'get_time' } }] });
  expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { name: 'get_time' } }]);
});

test('parallel_tool_calls, strict and description reach the model', async ({ harness, worker: _ }) => {
  const { complete, lastSent } = completing(harness);
  const parameters = { type: 'object', properties: {}, required: [], additionalProperties: false };
  const strict = { type: 'function', function: { name: 'a', description: 'Does A', strict: true, parameters } };

  await complete({
    ...{ messages: [user('Hi')], parallel_tool_calls: false },
    tools: [strict, { type: 'function', function: { name: 'b' } }],
  });

  expect(lastSent()).toMatchObject({
    parallel_tool_calls: false,
    tools: [{ function: { name: 'a', description: 'Does A', strict: true, parameters } }, { function: { name: 'b' } }],
  });
});

test('a custom tool is called with free text, and its result reaches the model', async ({ harness, worker: _ }) => {
  const { complete, lastSent } = completing(harness);
  const call = { name: 'patch', arguments: { input: 'a → b' }, id: 'call_p' };
  const question = scriptedUser({ rounds: [{ tools: [call] }], answer: 'Patched: {{results}}' });

  const first = await complete({ messages: [question], tools: [custom] });
  const description = (lastSent().tools as { function: { description: string } }[])[0]?.function.description;
  const second = await complete({
    messages: [question, answerOf(first), toolMessage('call_p', 'done')],
    tools: [custom],
    tool_choice: { type: 'custom', custom: { name: 'patch' } },
  });

  expect(first.choices).toMatchObject([
    {
      finish_reason: 'tool_calls',
      message: { tool_calls: [{ id: 'call_p', type: 'custom', custom: { name: 'patch', input: 'a → b' } }] },
    },
  ]);
  expect(first.choices[0]?.message.tool_calls?.[0]).not.toHaveProperty('function');
  expect(description).toMatch(/Patches a file\.[\s\S]*\[a-z\]\+/);
  expect(lastSent()).toMatchObject({ tool_choice: choose('patch') });
  expect(lastSent().messages.slice(1)).toMatchObject([
    { role: 'assistant', tool_calls: [{ id: 'call_p', function: { name: 'patch', arguments: '{"input":"a → b"}' } }] },
    { role: 'tool', tool_call_id: 'call_p', content: 'done' },
  ]);
  expect(second.choices).toHaveLength(1);
});

test.each([
  ['invalid_tool', 'tools[0].function.name', { tools: [clientTool('a b')] }],
  ['invalid_tool', 'tools[1].function.name', { tools: [clientTool('a'), clientTool('a')] }],
  ['missing_required_parameter', 'tools[0].function.name', { tools: [{ type: 'function', function: {} }] }],
  ['missing_required_parameter', 'tools[0].function', { tools: [{ type: 'function' }] }],
  ['unknown_parameter', 'tools[0].name', { tools: [{ ...clientTool('a'), name: 'a' }] }],
  ['missing_required_parameter', 'tools[0].custom', { tools: [{ type: 'custom' }] }],
  ['invalid_value', 'tools[1].type', { tools: [clientTool('a'), { type: 'web_search' }] }],
  ['invalid_value', 'tool_choice.function.name', { tools, tool_choice: choose('other') }],
  ['invalid_value', 'tool_choice', { tools, tool_choice: 'sometimes' }],
  [
    'invalid_value',
    'tool_choice.allowed_tools.tools[0].function.name',
    { tools, tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [choose('other')] } } },
  ],
  ['invalid_value', 'tool_choice.type', { tools, tool_choice: { type: 'web_search' } }],
])('a tool or choice is refused with %s at %s', async (code, param, body) => {
  const error = await completing(sharedHarness()).refused({ messages: [user('Hi')], ...body });

  expect(error).toMatchObject({ status: 400, code, param });
});

test('the refusal of an unknown type of tool_choice names all types', async () => {
  const body = { messages: [user('Hi')], tools, tool_choice: { type: 'web_search' } };

  const { message } = await completing(sharedHarness()).refused(body);

  expect(message).toContain('`function`, `custom`, `allowed_tools`');
});
