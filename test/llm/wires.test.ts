import { expect, test } from 'vitest';
import { configureProviders } from '#core/llm/providers.ts';
import { type Choosing, chooseWires, twoWiresAt } from '#core/llm/wires.ts';

const sim = { baseUrl: async () => 'http://127.0.0.1:1/v1' };
const KEYS = { OPENAI_API_KEY: 'k', XAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' };
const AZURE = 'https://acme.openai.azure.com/openai/v1';

function choose(choosing: Partial<Choosing>, env: Record<string, string> = {}) {
  const models = choosing.models ?? ['openai/gpt-6'];
  const config = { model: models[0] ?? null, ...choosing.config };
  return chooseWires({ ...choosing, models, config }, configureProviders({ ...KEYS, ...env }, sim));
}

test.each([
  ['openai', 'https://api.openai.com/v1', true],
  ['openai', 'https://eu.api.openai.com/v1', true],
  ['openai', AZURE, true],
  ['openai', 'https://acme.services.ai.azure.com/openai/v1', true],
  ['openai', 'https://acme.cognitiveservices.azure.com/openai/v1', true],
  ['openai', 'https://api.openai.com.example.com/v1', false],
  ['openai', 'https://myapi.openai.com/v1', false],
  ['openai', 'http://localhost:8000/v1', false],
  ['xai', 'https://api.x.ai/v1', true],
  ['xai', 'https://eu-west-1.api.x.ai/v1', true],
  ['xai', 'https://api.openai.com/v1', false],
] as const)('%s at %s uses Responses: %s', (name, baseUrl, isResponses) => {
  expect(twoWiresAt(name, { baseUrl, setting: null })).toEqual({ isResponses, isFixed: false });
});

test('a wire setting decides at any base URL', () => {
  const local = 'http://localhost:8000/v1';

  expect(choose({}, { OPENAI_BASE_URL: local, OPENAI_WIRE: 'responses' })).toEqual({ openai: 'openai-responses' });
  expect(choose({}, { OPENAI_WIRE: 'chat' })).toBeUndefined();
  expect(choose({ models: ['xai/grok-4'] }, { XAI_BASE_URL: local, XAI_WIRE: 'responses' })).toEqual({
    xai: 'openai-responses',
  });
});

test("a wire is chosen for each provider with two wires among a turn's models", () => {
  const models = ['openai/gpt-6', 'anthropic/claude', 'xai/grok-4', 'openai/gpt-5'];

  expect(choose({ models })).toEqual({ openai: 'openai-responses', xai: 'openai-responses' });
  expect(choose({ models: ['anthropic/claude', 'sim/demo'] })).toBeUndefined();
});

const said = (type: string) => [{ role: 'user', content: [{ type, data: 'YQ==', format: 'wav' }] }];

test.each<[string, Partial<Choosing>]>([
  ['stop', { config: { stop: ['END'] } }],
  ['seed', { config: { seed: 0 } }],
  ['a penalty', { config: { provider_options: { frequency_penalty: 1 } } }],
  ['top_logprobs', { config: { provider_options: { top_logprobs: 2 } } }],
  ['audio', { input: said('input_audio') }],
  ['a tool of Chat Completions', { config: { provider_options: { tools: [{ type: 'function', function: {} }] } } }],
  ['a choice of it', { config: { provider_options: { tool_choice: { type: 'function', function: { name: 'x' } } } } }],
  ['stream_options.include_usage', { config: { provider_options: { stream_options: { include_usage: true } } } }],
  ['search_parameters', { config: { provider_options: { search_parameters: { mode: 'auto' } } } }],
  ['a model for audio', { models: ['openai/gpt-audio-1.5'] }],
  ['a model for audio of an earlier name', { models: ['openai/gpt-4o-mini-audio-preview-2026-01-01'] }],
  ['a model for searches', { models: ['openai/gpt-4o-search-preview'] }],
  ['a model for searches as a fallback', { models: ['openai/gpt-6', 'openai/gpt-4o-mini-search-preview-2026-01-01'] }],
])('a turn with %s uses Chat Completions unless a setting decides', (_, choosing) => {
  expect(choose(choosing)).toBeUndefined();
  expect(choose(choosing, { OPENAI_WIRE: 'responses' })).toEqual({ openai: 'openai-responses' });
});

test('fields that Responses supports do not lead to Chat Completions', () => {
  const responses = { openai: 'openai-responses' };

  expect(choose({ config: { stop: [], seed: null, provider_options: { stop: null } } })).toEqual(responses);
  expect(choose({ config: { provider_options: { include: ['x'], text: {} } } })).toEqual(responses);
  const tools = [{ type: 'web_search' }, { type: 'function', name: 'x', parameters: {}, strict: null }];
  const stream_options = { include_obfuscation: true };
  const tool_choice = { type: 'function', name: 'x' };
  expect(choose({ config: { provider_options: { tools, tool_choice, stream_options } } })).toEqual(responses);
  expect(choose({ config: { provider_options: { search_parameters: null } } })).toEqual(responses);
  expect(choose({ models: ['openai/gpt-5-search-api', 'openai/audiophile'] })).toEqual(responses);
  expect(choose({ input: said('input_image') })).toEqual(responses);
  expect(choose({ input: 'input_audio' })).toEqual(responses);
});

test('options for another provider do not affect the wire', () => {
  const config = { model: 'anthropic/claude', provider_options: { seed: 1 } };

  expect(choose({ models: ['anthropic/claude', 'openai/gpt-6'], config })).toEqual({ openai: 'openai-responses' });
});

test('a provider uses the chosen wire, or Chat Completions without a choice', () => {
  const providers = configureProviders(KEYS, sim);
  const wireOf = (model: string, wires?: Record<string, 'openai-responses'>) =>
    providers.ofModel(model, wires).capabilities.wire;

  expect(wireOf('openai/gpt-6', { openai: 'openai-responses' })).toBe('openai-responses');
  expect(wireOf('openai/gpt-6', { xai: 'openai-responses' })).toBe('openai');
  expect(wireOf('openai/gpt-6')).toBe('openai');
  expect(providers.list().find(({ name }) => name === 'openai')?.wire).toBe('openai-responses');
});
