import { expect, test } from 'vitest';
import { fullForm, renderRequest } from '#core/llm/openai-responses/render-request.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import { Tool } from '#core/turn/request/tool.ts';
import { checkOpenaiResponses } from '#test/llm/check-wire/openai-responses.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const weather = Tool.parse({ name: 'get_weather', description: 'Get the weather', parameters });
const form = fullForm(true);

function render(change: Partial<RoundRequest>): Record<string, unknown> {
  const body = renderRequest({ ...someRequest, ...change }, { provider: 'openai', form });
  expect(
    checkOpenaiResponses(body, { reasons: () => true }).filter((problem) => !/stored|temper|top_p/.test(problem)),
  ).toEqual([]);
  return JSON.parse(JSON.stringify(body));
}

test('a request of Responses has instructions, input and the fields of Pawl', () => {
  expect(render({})).toEqual({
    ...{ model: 'some-model', instructions: 'Be brief.', store: false, stream: true },
    input: [{ type: 'message', role: 'user', content: 'Hi' }],
    include: ['reasoning.encrypted_content'],
    stream_options: { include_obfuscation: false },
  });
  expect(render({ instructions: null })).not.toHaveProperty('instructions');
});

test('tools of Responses are flat and have the field strict', () => {
  const closed = { ...parameters, required: ['city'], additionalProperties: false };
  const strict = { ...Tool.parse({ name: 'held', parameters: closed }), strict: true };

  expect(render({ tools: [weather, strict] }).tools).toEqual([
    { type: 'function', name: 'get_weather', description: 'Get the weather', parameters, strict: false },
    { type: 'function', name: 'held', parameters: closed, strict: true },
  ]);
});

test.each([
  ['auto', undefined],
  ['none', 'none'],
  ['required', 'required'],
  [
    { type: 'specific', name: 'get_weather' },
    { type: 'function', name: 'get_weather' },
  ],
] as const)('the tool choice %j is sent as %j on Responses', (toolChoice, sent) => {
  expect(render({ tools: [weather], toolChoice }).tool_choice).toEqual(sent);
  expect(render({ tools: [], toolChoice }).tool_choice).toBeUndefined();
});

test('parallel calls are set only in a request with tools', () => {
  expect(render({ tools: [weather], parallelToolCalls: false }).parallel_tool_calls).toBe(false);
  expect(render({ tools: [], parallelToolCalls: false })).not.toHaveProperty('parallel_tool_calls');
});

test('sampling, reasoning and verbosity are set on Responses', () => {
  const body = render({ temperature: 0.2, topP: 0.5, maxOutputTokens: 900, reasoningEffort: 'low', verbosity: 'high' });

  expect(body).toMatchObject({ temperature: 0.2, top_p: 0.5, max_output_tokens: 900 });
  expect(body).toMatchObject({ reasoning: { effort: 'low' }, text: { verbosity: 'high' } });
  expect(render({ reasoningSummary: 'auto' }).reasoning).toEqual({ summary: 'auto' });
  expect(render({ reasoningSummary: 'auto', reasoningEffort: 'high' }).reasoning).toEqual({
    effort: 'high',
    summary: 'auto',
  });
});

test.each([
  [1, 16],
  [15, 16],
  [16, 16],
  [17, 17],
])('a limit of %i output tokens is sent as %i on Responses', (maxOutputTokens, sent) => {
  expect(render({ maxOutputTokens }).max_output_tokens).toBe(sent);
});

test.each([
  [null, undefined],
  [{ type: 'text' }, undefined],
  [{ type: 'json_object' }, { type: 'json_object' }],
  [
    { type: 'json_schema', name: 'place', schema: parameters, strict: null },
    { type: 'json_schema', name: 'place', schema: parameters },
  ],
  [
    { type: 'json_schema', name: 'place', schema: parameters, strict: false, description: 'A place' },
    { type: 'json_schema', name: 'place', schema: parameters, strict: false, description: 'A place' },
  ],
] as const)('the text format %j is sent as %j on Responses', (textFormat, format) => {
  expect(render({ textFormat }).text).toEqual(format && { format });
});

test.each([
  [null, undefined],
  ['5m', { ttl: '30m' }],
  ['1h', { ttl: '12h' }],
] as const)('the cache ttl %s is sent as %j on Responses', (ttl, sent) => {
  const body = render({ promptCache: { ttl, key: 'k' } });

  expect([body.prompt_cache_key, body.prompt_cache_options]).toEqual(['k', sent]);
});

test('options of the caller are merged last, and null removes a field', () => {
  const options = { store: true, temperature: 1, prompt_cache_key: 'mine', service_tier: 'flex', stream_options: null };

  const body = render({ temperature: 0.2, promptCache: { ttl: null, key: 'k' }, providerOptions: options });

  expect(body).toMatchObject({ store: true, temperature: 1, prompt_cache_key: 'mine', service_tier: 'flex' });
  expect(render({ providerOptions: { stream: false } }).stream).toBe(true);
});

test('an include of the caller is added to the include of Pawl', () => {
  const include = ['web_search_call.results', 'reasoning.encrypted_content'];

  expect(render({ providerOptions: { include } }).include).toEqual([
    'reasoning.encrypted_content',
    'web_search_call.results',
  ]);
});

test.each([
  ['include', null],
  ['stream_options', null],
  ['prompt_cache_options', null],
  ['prompt_cache_key', null],
])('a null option %s removes the field from a request of Responses', (field, value) => {
  const promptCache = { ttl: '1h', key: 'k' } as const;

  expect(render({ promptCache, providerOptions: { [field]: value } })).not.toHaveProperty(field);
});

test('a last round keeps its tools and forbids calls', () => {
  expect(render({ tools: [weather], mayCall: false, toolChoice: 'none' })).toMatchObject({
    tools: [{ name: 'get_weather' }],
    tool_choice: 'none',
  });
});
