import { describe, expect, test } from 'vitest';
import type { BatchServer } from '#core/llm/batches/batch-server.ts';
import type { Capabilities } from '#core/llm/provider.ts';
import { unsupportedField, unsupportedParameter, unusableTier } from '#core/llm/unsupported-parameter.ts';
import { weather } from '#test/llm/dialects/scripted-provider.ts';

const provider = (wire: Capabilities['wire'], structured_outputs = true) => {
  const can = { streaming: true, tools: true, parallel_tool_calls: true, thinking: true };
  return { name: 'acme', capabilities: { wire, ...can, structured_outputs, hosted_tools: [] } };
};
const jsonObject = { text_format: { type: 'json_object' } } as const;
const jsonSchema = { text_format: { type: 'json_schema', name: 'x', schema: { type: 'object' } } } as const;
const wires = ['openai', 'openai-responses', 'anthropic', 'gemini', 'ai-sdk'] as const;

test.each(wires)('%s supports defaults, medium values and plain text', (wire) => {
  const plain = { reasoning_effort: 'medium', verbosity: 'medium', text_format: { type: 'text' } } as const;
  const none = { reasoning_effort: null, verbosity: null, text_format: null };

  expect(unsupportedParameter(provider(wire), plain)).toBeNull();
  expect(unsupportedParameter(provider(wire), none)).toBeNull();
  expect(unsupportedField(provider(wire), none)).toBeNull();
});

test.each([
  ['anthropic', 'none', 'Set low, medium, high, xhigh, or max, or'],
  ['anthropic', 'minimal', 'Set low'],
  ['gemini', 'none', 'Set minimal, low, medium, or high, or'],
  ['gemini', 'xhigh', 'Set minimal'],
] as const)('%s refuses the effort %s, and the error lists the supported efforts', (wire, reasoning_effort, hint) => {
  const found = unsupportedParameter(provider(wire), { reasoning_effort });

  expect(found).toEqual({ param: 'reasoning.effort', message: expect.stringContaining(hint) });
  expect(found?.message).toContain(`Reasoning effort "${reasoning_effort}" is not supported by acme`);
  expect(unsupportedField(provider(wire), { reasoning_effort })).toEqual({ ...found, param: 'reasoning_effort' });
});

test.each(['anthropic', 'gemini', 'ai-sdk'] as const)('%s refuses verbosity', (wire) => {
  expect(unsupportedParameter(provider(wire), { verbosity: 'low' })).toMatchObject({ param: 'text.verbosity' });
  expect(unsupportedField(provider(wire), { verbosity: 'medium' })).toMatchObject({ param: 'verbosity' });
});

describe('the service tier batch', () => {
  const batching = (wire: Capabilities['wire']) => ({ ...provider(wire), batches: {} as BatchServer });
  const batch = { service_tier: 'batch' } as const;

  test.each(['openai', 'openai-responses', 'anthropic', 'gemini'] as const)(
    '%s with a batch API supports it',
    (wire) => {
      expect(unsupportedField(batching(wire), { ...batch, tier_fallback: 'default' })).toBeNull();
    },
  );

  test.each(wires)('%s without a batch API refuses it', (wire) => {
    const found = unsupportedField(provider(wire), batch);

    expect(found).toMatchObject({ param: 'service_tier', message: expect.stringContaining('acme') });
    expect(found?.message).not.toContain('provider_options');
  });

  test('the refusal of another tier lists batch for a server with a batch API', () => {
    const found = unsupportedField(batching('anthropic'), { service_tier: 'flex' });

    expect(found?.message).toContain('Set auto, default, or batch, or leave');
  });

  test.each([
    ['tool_mode', { tool_mode: 'emulated' as const }],
    ['provider_headers', { provider_headers: { 'x-tag': 'one' } }],
    ['provider_options.background', { provider_options: { background: true } }],
  ])('batch refuses %s, with and without a model', (param, field) => {
    expect(unsupportedField(batching('openai'), { ...batch, ...field })).toMatchObject({ param });
    expect(unusableTier({ ...batch, ...field })).toMatchObject({ param });
    expect(unusableTier({ service_tier: 'flex', ...field })).toBeNull();
  });

  test('batch allows the other tool modes, no headers, and background: false', () => {
    const fields = { provider_headers: {}, provider_options: { background: false } };

    for (const tool_mode of ['native', 'inline', null] as const)
      expect(unusableTier({ ...batch, ...fields, tool_mode })).toBeNull();
  });
});

test('Responses refuses stop and seed, and accepts every effort and verbosity', () => {
  const responses = provider('openai-responses');
  const message = expect.stringContaining('acme');

  expect(unsupportedField(responses, { stop: ['END'] })).toEqual({ param: 'stop', message });
  expect(unsupportedField(responses, { seed: 0 })).toEqual({ param: 'seed', message });
  expect(unsupportedField(responses, { stop: [], seed: null, reasoning_effort: 'max', verbosity: 'low' })).toBeNull();
  expect(unsupportedParameter(responses, { ...jsonObject, reasoning_effort: 'none', verbosity: 'high' })).toBeNull();
});

test.each(['frequency_penalty', 'presence_penalty', 'top_logprobs', 'stop', 'seed'])(
  'Responses refuses %s in provider_options',
  (field) => {
    const problem = (wire: Capabilities['wire'], value: number | null) =>
      unsupportedField(provider(wire), { provider_options: { [field]: value } });
    const param = `provider_options.${field}`;

    expect(problem('openai-responses', 0)).toEqual({ param, message: expect.stringContaining('acme') });
    expect(problem('openai-responses', null)).toBeNull();
    expect(problem('openai', 0)).toBeNull();
  },
);

test('an AI SDK package refuses unsupported fields and options of other providers', () => {
  const earlier = { ...provider('ai-sdk'), reasoningEfforts: [] };
  const options = (provider_options: Record<string, unknown>) =>
    unsupportedField(provider('ai-sdk'), { provider_options } as never);

  expect(unsupportedField(earlier, { reasoning_effort: 'low' })).toMatchObject({ param: 'reasoning_effort' });
  expect(unsupportedField(provider('ai-sdk'), { reasoning_effort: 'max' })).toBeNull();
  expect(options({ mistral: { safePrompt: true } })).toBeNull();
  expect(options({ mistral: {}, top_k: 4 })).toMatchObject({ param: 'provider_options.top_k' });
  expect(unsupportedField(provider('openai'), { provider_options: { top_k: 4 } })).toBeNull();
});

test('prompt_cache auto and off are always valid, a ttl only if supported', () => {
  const configured = { ...provider('anthropic'), cacheTtls: ['5m', '1h'] as const };
  const problem = (wire: Capabilities['wire']) => unsupportedField(provider(wire), { prompt_cache: '1h' });

  expect(unsupportedField(configured, { prompt_cache: '1h' })).toBeNull();
  for (const wire of wires) {
    for (const prompt_cache of ['auto', 'off'] as const) {
      expect(unsupportedField(provider(wire), { prompt_cache })).toBeNull();
    }
  }
  const said = (where: string) => `prompt_cache "1h" is not supported by ${where}. Set prompt_cache to auto or off.`;
  expect(problem('openai')).toEqual({ param: 'prompt_cache', message: said('acme over Chat Completions') });
  expect(problem('gemini')).toEqual({ param: 'prompt_cache', message: said('acme') });
  expect(problem('anthropic')?.message).toContain('Set "prompt_cache": true in PAWL_PROVIDERS.acme');
});

test('one wire refuses json_object, and every wire accepts a schema', () => {
  expect(wires.map((wire) => unsupportedParameter(provider(wire), jsonObject)?.param)).toEqual([
    undefined,
    undefined,
    'text.format',
    undefined,
    undefined,
  ]);
  expect(wires.map((wire) => unsupportedParameter(provider(wire), jsonSchema))).toEqual(wires.map(() => null));
});

test('a server without structured outputs refuses a schema, not json_object', () => {
  expect(unsupportedParameter(provider('openai', false), jsonSchema)).toMatchObject({ param: 'text.format' });
  expect(unsupportedParameter(provider('openai', false), jsonObject)).toBeNull();
});

test('inline tools refuse a text format of JSON', () => {
  const inline = { ...jsonSchema, tool_mode: 'inline' } as const;

  expect(unsupportedParameter(provider('openai'), { ...inline, tools: [weather] })).toMatchObject({
    param: 'text.format',
    message: expect.stringContaining('tool_mode'),
  });
  expect(unsupportedParameter(provider('openai'), { ...inline, tools: [] })).toBeNull();
  expect(
    unsupportedParameter(provider('openai'), { ...jsonSchema, tool_mode: 'emulated', tools: [weather] }),
  ).toBeNull();
});
