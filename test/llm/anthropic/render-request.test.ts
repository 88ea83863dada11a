import { expect, test } from 'vitest';
import { renderRequest } from '#core/llm/anthropic/render-request.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import { Tool } from '#core/turn/request/tool.ts';
import { answer, call, roundsOf, system, user } from '#test/llm/history.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const weather = Tool.parse({ name: 'get_weather', description: 'Tells the weather', parameters });
const render = (change: Partial<RoundRequest>) => renderRequest({ ...someRequest, ...change }, 'anthropic');

const says = roundsOf('anthropic');
const text = (words: string) => ({ type: 'text', text: words });

test('a bare request has no field that was not requested', () => {
  expect(render({})).toEqual({
    model: 'some-model',
    max_tokens: 8192,
    system: 'Be brief.',
    messages: [{ role: 'user', content: [text('Hi')] }],
    stream: true,
  });
});

test('system messages at the start join the instructions, in order', () => {
  const body = render({ messages: [system('Rule one.'), system(' '), system('Rule two.'), user('Hi')] });

  expect(body.system).toBe('Be brief.\n\nRule one.\n\nRule two.');
  expect(body.messages).toEqual([{ role: 'user', content: [text('Hi')] }]);
});

test('a tool is sent as name, description and schema only', () => {
  const bare = Tool.parse({ name: 'ping', effect: 'none', execution: { kind: 'client' } });

  expect(render({ tools: [weather, bare] }).tools).toEqual([
    { name: 'get_weather', description: 'Tells the weather', input_schema: parameters },
    { name: 'ping', input_schema: { type: 'object', properties: {} } },
  ]);
});

test('a tool schema is sent as an object, without alternatives at its top', () => {
  const tool = Tool.parse({
    name: 'x',
    parameters: { properties: { a: { anyOf: [{}] } }, anyOf: [{ required: ['a'] }] },
  });

  expect(render({ tools: [tool] }).tools).toEqual([
    { name: 'x', input_schema: { type: 'object', properties: { a: { anyOf: [{}] } } } },
  ]);
});

test.each([
  ['auto', null, undefined],
  ['auto', true, undefined],
  ['auto', false, { type: 'auto', disable_parallel_tool_use: true }],
  ['required', null, { type: 'any' }],
  ['required', false, { type: 'any', disable_parallel_tool_use: true }],
  ['none', false, { type: 'none' }],
  [{ type: 'specific', name: 'get_weather' }, null, { type: 'tool', name: 'get_weather' }],
  [
    { type: 'specific', name: 'get_weather' },
    false,
    { type: 'tool', name: 'get_weather', disable_parallel_tool_use: true },
  ],
] as const)('tool choice %j with parallel calls %s is %j on the wire', (toolChoice, parallelToolCalls, expected) => {
  expect(render({ tools: [weather], toolChoice, parallelToolCalls }).tool_choice).toEqual(expected);
});

test('a final round declares the tools of its history, and allows none', () => {
  const messages = [user('Hi'), says(null, [call('a')]), answer('a', 'x')];

  const final = render({ messages, declaredTools: [weather], toolChoice: 'required', parallelToolCalls: false });

  expect(final.tools).toEqual([{ name: 'get_weather', description: 'Tells the weather', input_schema: parameters }]);
  expect(final.tool_choice).toEqual({ type: 'none' });
});

test('a final round without calls in its history declares no tools', () => {
  const body = render({ declaredTools: [weather], toolChoice: 'required' });

  expect(body).not.toHaveProperty('tools');
  expect(body).not.toHaveProperty('tool_choice');
});

test.each([
  ['claude-3-opus-20240229', {}, 4096],
  ['claude-3-5-haiku-latest', {}, 8192],
  ['claude-3-7-sonnet-latest', {}, 32_000],
  ['anthropic.claude-opus-5', {}, 32_000],
  ['kimi-k2', {}, 8192],
  ['kimi-k2', { thinking: { type: 'enabled', budget_tokens: 10_000 } }, 14_096],
  ['claude-opus-4-5', { thinking: { type: 'adaptive' } }, 32_000],
])('%s with %j gets a valid max_tokens if none is given', (model, providerOptions, tokens) => {
  expect(render({ model, providerOptions }).max_tokens).toBe(tokens);
  expect(render({ model, providerOptions, maxOutputTokens: 100 }).max_tokens).toBe(100);
});

test('provider options override rendered fields, except that a reply streams', () => {
  const thinking = { type: 'adaptive' };

  const body = render({ temperature: 1, providerOptions: { temperature: 0.5, thinking, stream: false } });

  expect(body).toMatchObject({ temperature: 0.5, thinking, stream: true });
});

test('top_p, stop sequences and effort are sent unchanged', () => {
  expect(render({ stop: ['END'] })).toMatchObject({ stop_sequences: ['END'] });
  expect(render({ topP: 0.9, reasoningEffort: 'max' })).toMatchObject({ top_p: 0.9, output_config: { effort: 'max' } });
  expect(render({ textFormat: { type: 'text' }, verbosity: 'medium' })).toEqual(render({}));
});

const forced = { tools: [weather], toolChoice: 'required' as const };
const shown = { display: 'summarized' };

test.each([
  ['an effort', { reasoningEffort: 'low' }, { type: 'adaptive', ...shown }],
  ['options', { providerOptions: { thinking: { type: 'enabled', budget_tokens: 2048 } } }, shown],
  ['options that hide thoughts', { providerOptions: { thinking: { display: 'omitted' } } }, { display: 'omitted' }],
  ['options that forbid it', { providerOptions: { thinking: { type: 'disabled' } } }, { type: 'disabled' }],
  ['nothing', {}, undefined],
  ['an effort beside a forced tool', { reasoningEffort: 'low', ...forced }, undefined],
  ['an effort beside a temperature', { reasoningEffort: 'low', temperature: 0 }, undefined],
  ['an effort of a model that needs a budget', { reasoningEffort: 'low', model: 'claude-opus-4-5' }, undefined],
  ['an effort of another maker’s model', { reasoningEffort: 'low', model: 'kimi-k2' }, undefined],
] as const)('summaries of thoughts are requested if thinking is enabled by %s', (_, own, thinking) => {
  const request = { model: 'claude-opus-5', ...own } as Partial<RoundRequest>;
  const { thinking: rendered } = render({ ...request, reasoningSummary: 'auto' });

  if (thinking === undefined) expect(rendered).toBeUndefined();
  else expect(rendered).toMatchObject(thinking);
  expect(render(request).thinking).toEqual(request.providerOptions?.thinking);
});

test('an answer schema is sent with closed objects and without bounds', () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1, pattern: '^a', description: 'Who', format: 'email' },
      tags: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'object', properties: { n: { maximum: 3 } } } },
      either: { oneOf: [{ const: 'x' }, { type: ['object', 'null'] }] },
      ref: { $ref: '#/definitions/place', description: 'Where' },
    },
    required: ['name'],
    additionalProperties: true,
    definitions: { place: { type: 'object', properties: { lat: { type: 'number', minimum: -90 } } } },
  };

  const body = render({ reasoningEffort: 'low', textFormat: { type: 'json_schema', name: 'person', schema } });

  const closed = { additionalProperties: false };
  expect(body.output_config).toEqual({
    effort: 'low',
    format: {
      type: 'json_schema',
      schema: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'Who', format: 'email' },
          tags: { type: 'array', items: { type: 'object', properties: { n: {} }, ...closed } },
          either: { anyOf: [{ const: 'x' }, { type: ['object', 'null'], properties: {}, ...closed }] },
          ref: { $ref: '#/$defs/place' },
        },
        required: ['name'],
        ...closed,
        $defs: { place: { type: 'object', properties: { lat: { type: 'number' } }, ...closed } },
      },
    },
  });
});
