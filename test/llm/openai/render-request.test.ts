import { expect, test } from 'vitest';
import { renderRequest } from '#core/llm/openai/render-request.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import { Tool } from '#core/turn/request/tool.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const weather = Tool.parse({ name: 'get_weather', description: 'Tells the weather', parameters });
const wire = { provider: 'openai', maxTokensField: 'max_completion_tokens' } as const;
const render = (change: Partial<RoundRequest>, change2: Partial<typeof wire> | object = {}) =>
  renderRequest({ ...someRequest, ...change }, { ...wire, ...change2 });

test('a bare request has no field that was not requested', () => {
  expect(render({})).toEqual({
    model: 'some-model',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ],
    stream: true,
    stream_options: { include_usage: true },
  });
});

test('a round is one assistant message with text and calls, then its results', () => {
  const { messages } = render({
    instructions: null,
    messages: [
      { role: 'assistant', content: 'Looking.', calls: [{ id: 'call_1', name: 'get_weather', arguments: '{"a": 1}' }] },
      { role: 'tool', callId: 'call_1', name: 'get_weather', content: '15°C', isError: false },
      { role: 'assistant', content: null, calls: [{ id: 'call_2', name: 'get_weather', arguments: 'no json' }] },
      { role: 'tool', callId: 'call_2', name: 'get_weather', content: '', isError: false },
    ],
  });

  const call = (id: string, args: string) => ({
    id,
    type: 'function',
    function: { name: 'get_weather', arguments: args },
  });
  expect(messages).toEqual([
    { role: 'assistant', content: 'Looking.', tool_calls: [call('call_1', '{"a": 1}')] },
    { role: 'tool', tool_call_id: 'call_1', content: '15°C' },
    { role: 'assistant', content: null, tool_calls: [call('call_2', '{"invalid_arguments":"no json"}')] },
    { role: 'tool', tool_call_id: 'call_2', content: '(no output)' },
  ]);
});

test('a message with neither text nor calls is not sent', () => {
  const { messages } = render({
    instructions: '',
    messages: [
      { role: 'assistant', content: null, calls: [] },
      { role: 'assistant', content: '', calls: [] },
      { role: 'user', content: 'Hi' },
    ],
  });

  expect(messages).toEqual([{ role: 'user', content: 'Hi' }]);
});

test('a tool is sent as name, description and schema only', () => {
  const nameless = Tool.parse({ name: 'ping', effect: 'none', execution: { kind: 'client' } });

  expect(render({ tools: [weather, nameless] }).tools).toEqual([
    { type: 'function', function: { name: 'get_weather', description: 'Tells the weather', parameters } },
    { type: 'function', function: { name: 'ping', parameters: { type: 'object', properties: {} } } },
  ]);
});

test.each([
  ['auto', undefined],
  ['none', 'none'],
  ['required', 'required'],
  [
    { type: 'specific', name: 'get_weather' },
    { type: 'function', function: { name: 'get_weather' } },
  ],
] as const)('tool choice %j is %j on the wire', (toolChoice, expected) => {
  expect(render({ tools: [weather], toolChoice }).tool_choice).toEqual(expected);
});

test('a request without tools has no tool fields', () => {
  const body = render({ toolChoice: 'required', parallelToolCalls: true });

  expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['tools']));
  expect(body).not.toHaveProperty('tool_choice');
  expect(body).not.toHaveProperty('parallel_tool_calls');
});

test('parallel_tool_calls is sent only if the caller set it', () => {
  expect(render({ tools: [weather], parallelToolCalls: false }).parallel_tool_calls).toBe(false);
  expect(render({ tools: [weather] })).not.toHaveProperty('parallel_tool_calls');
});

test('the token limit is sent under the name that the server supports', () => {
  const change = { temperature: 0, maxOutputTokens: 64 };

  expect(render(change)).toMatchObject({ temperature: 0, max_completion_tokens: 64 });
  expect(render(change, { maxTokensField: 'max_tokens' })).toMatchObject({ max_tokens: 64 });
});

test('provider options override rendered fields, except that a reply streams', () => {
  const body = render({
    temperature: 1,
    providerOptions: { temperature: 0.5, reasoning_effort: 'low', stream: false },
  });

  expect(body).toMatchObject({ temperature: 0.5, reasoning_effort: 'low', stream: true });
});

test('opaque state is sent back to its provider only', () => {
  const state = {
    message: { reasoning_content: 'Hm.', reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }] },
    calls: [{ google: { thought_signature: 's' } }],
  };
  const message = {
    role: 'assistant',
    content: null,
    calls: [{ id: 'call_1', name: 'ping', arguments: '{}' }],
    opaque: { provider: 'deepseek', state },
  } as const;
  const round = { instructions: null, messages: [{ ...message, calls: [...message.calls] }] };

  const same = render(round, { provider: 'deepseek' }).messages[0];
  const other = render(round).messages[0];

  expect(same).toMatchObject({ ...state.message, tool_calls: [{ id: 'call_1', extra_content: state.calls[0] }] });
  expect(Object.keys(other ?? {})).toEqual(['role', 'content', 'tool_calls']);
});

test('a stored state that Pawl did not write is ignored', () => {
  const message = {
    role: 'assistant',
    content: 'Hi',
    calls: [],
    opaque: { provider: 'openai', state: 'junk' },
  } as const;

  expect(render({ instructions: null, messages: [{ ...message, calls: [] }] }).messages).toEqual([
    { role: 'assistant', content: 'Hi' },
  ]);
});

const schema = { type: 'object', properties: { city: { type: 'string', minLength: 1 } }, required: ['city'] };

test('sampling fields are sent unchanged', () => {
  expect(render({ topP: 0, reasoningEffort: 'minimal', verbosity: 'low', stop: ['END'], seed: 7 })).toMatchObject({
    top_p: 0,
    reasoning_effort: 'minimal',
    verbosity: 'low',
    stop: ['END'],
    seed: 7,
  });
});

test.each([
  [{ type: 'text' }, undefined],
  [{ type: 'json_object' }, { type: 'json_object' }],
  [
    { type: 'json_schema', name: 'place', schema, strict: false, description: 'Where' },
    { type: 'json_schema', json_schema: { name: 'place', description: 'Where', strict: false, schema } },
  ],
  [
    { type: 'json_schema', name: 'place', schema, strict: null, description: null },
    { type: 'json_schema', json_schema: { name: 'place', schema } },
  ],
] as const)('the text format %j is %j on the wire', (textFormat, expected) => {
  expect(render({ textFormat }).response_format).toEqual(expected);
});

test('provider_options.tools are sent after the tools of the turn', () => {
  const more = { type: 'web_search_preview' };
  const toolsOf = (tools: unknown, own = [weather]) => render({ tools: own, providerOptions: { tools } }).tools;
  const own = render({ tools: [weather] }).tools;

  expect(toolsOf([more])).toEqual([...own!, more]);
  expect(toolsOf([more], [])).toEqual([more]);
  expect(toolsOf([])).toEqual(own);
  expect(toolsOf(null)).toBeUndefined();
});
