import { expect, test } from 'vitest';
import { readBody, refusalOf } from './read-body.ts';

test('a response shows OpenAI’s defaults, but does not send them to its provider', async () => {
  const { config, ...request } = await readBody({});

  expect(request).toMatchObject({
    ...{ input: [{ at: 0, item: { role: 'user', content: 'Hi' } }], metadata: {}, priority: 0, ignoredTools: [] },
    ...{ previousResponseId: null, conversationId: null, store: true },
  });
  expect(config).toMatchObject({
    ...{ model: 'openai/gpt-4.1', instructions: null, tools: [], tool_choice: 'auto', parallel_tool_calls: null },
    ...{ temperature: null, top_p: null, reasoning_effort: null, verbosity: null, text_format: null },
    ...{ max_output_tokens: null, max_total_output_tokens: null, provider_options: {} },
  });
  expect(config.response).toMatchObject({
    ...{ model: 'openai/gpt-4.1', temperature: 1, top_p: 1, presence_penalty: 0, top_logprobs: 0, tool_choice: 'auto' },
    ...{
      background: false,
      parallel_tool_calls: true,
      text: { format: { type: 'text' } },
      reasoning: { effort: null, summary: null },
    },
  });
});

test('a null in any field equals an absent field', async () => {
  const names = [
    ...['instructions', 'previous_response_id', 'conversation', 'background', 'store', 'stream', 'tools', 'text'],
    ...['tool_choice', 'max_output_tokens', 'temperature', 'reasoning', 'include', 'metadata', 'truncation', 'user'],
    ...['prompt', 'moderation', 'context_management', 'image', 'access_programs', 'pawl', 'top_logprobs'],
  ];
  const nulls = Object.fromEntries(names.map((name) => [name, null]));

  expect(await readBody(nulls)).toEqual(await readBody({}));
});

test('the fields of a response request reach the turn', async () => {
  const schema = { type: 'object', properties: {} };
  const { config, ...request } = await readBody({
    ...{ instructions: 'Be brief.', temperature: 0.5, top_p: 0.9, max_output_tokens: 100, max_tool_calls: 3 },
    ...{ text: { format: { type: 'json_schema', name: 'answer', schema }, verbosity: 'low' } },
    ...{ reasoning: { effort: 'high', summary: 'auto' }, metadata: { a: 'b' }, parallel_tool_calls: false },
    ...{ presence_penalty: 1, top_logprobs: 2, service_tier: 'flex', user: 'ada', prompt_cache_key: 'key' },
    pawl: { limits: { max_rounds: 2 }, priority: 7, provider_options: { seed: 1 } },
  });

  expect(request).toMatchObject({ metadata: { a: 'b' }, priority: 7 });
  expect(config).toMatchObject({
    ...{
      instructions: 'Be brief.',
      temperature: 0.5,
      top_p: 0.9,
      max_total_output_tokens: 100,
      max_output_tokens: null,
    },
    ...{ limits: { max_rounds: 2, max_tool_calls: 3 }, parallel_tool_calls: false },
    service_tier: 'flex',
    ...{ reasoning_effort: 'high', verbosity: 'low', text_format: { type: 'json_schema', name: 'answer', schema } },
  });
  expect(config.provider_options).toEqual({
    ...{ presence_penalty: 1, logprobs: true, top_logprobs: 2, seed: 1 },
    ...{ user: 'ada', prompt_cache_key: 'key' },
  });
  expect(config.response?.text.format).toEqual({
    ...{ type: 'json_schema', name: 'answer', schema, description: null, strict: false },
  });
});

test.each([
  ['unknown_parameter', 'inptu', { inptu: 1 }],
  ['unknown_parameter', 'reasoning.hard', { reasoning: { hard: true } }],
  ['invalid_value', 'reasoning.context', { reasoning: { context: 'all_turns' } }],
  ['invalid_value', 'reasoning.mode', { reasoning: { mode: 'pro' } }],
  ['missing_required_parameter', 'model', { model: undefined }],
  ['missing_required_parameter', 'input', { input: undefined }],
  ['invalid_value', 'input', { input: [] }],
  ['invalid_value', 'input', { input: '' }],
  ['invalid_value', 'temperature', { temperature: 3 }],
  [
    'invalid_value',
    'metadata',
    { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, ''])) },
  ],
  ['unsupported_parameter', 'moderation', { moderation: { model: 'auto' } }],
  ['unsupported_parameter', 'context_management', { context_management: [] }],
  ['unsupported_parameter', 'moderation', { moderation: {}, model: undefined, input: undefined }],
  ['unsupported_value', 'truncation', { truncation: 'oldest' }],
  ['unsupported_value', 'include[0]', { include: ['message.output_text.logprobs'] }],
  ['invalid_value', 'include[1]', { include: ['file_search_call.results', 'everything'] }],
  ['mutually_exclusive_parameters', 'previous_response_id', { previous_response_id: 'resp_1', conversation: 'conv_1' }],
  ['background_requires_store', 'background', { background: true, store: false }],
  ['egress_blocked', 'pawl.webhook.url', { pawl: { webhook: { url: 'http://10.0.0.1/' } } }],
])('a response is refused with %s at %s', async (code, param, body) => {
  expect(await refusalOf(body)).toMatchObject({ status: 400, code, param });
});

test('an empty input is accepted after a response and in a conversation', async () => {
  expect(await readBody({ input: [], previous_response_id: 'resp_1' })).toMatchObject({
    ...{ input: [], previousResponseId: 'resp_1', conversationId: null },
  });
  expect(await readBody({ input: [], conversation: { id: 'conv_1' } })).toMatchObject({ conversationId: 'conv_1' });
});

test.each([
  ['presence_penalty', { presence_penalty: 1 }],
  ['top_logprobs', { top_logprobs: 2 }],
  ['service_tier', { service_tier: 'flex' }],
  ['text.verbosity', { text: { verbosity: 'low' } }],
  ['text.format', { text: { format: { type: 'json_object' } } }],
])('%s is refused on a wire without it, and never dropped', async (param, body) => {
  const model = 'anthropic/claude';

  expect(await refusalOf({ model, ...body })).toMatchObject({ code: 'unsupported_parameter', param });
});

test('neutral values and hints are accepted on any wire, and not sent', async () => {
  const neutral = { presence_penalty: 0, top_logprobs: 0, service_tier: 'auto', text: { verbosity: 'medium' } };
  const hints = {
    ...{ user: 'ada', client_metadata: { a: 1 }, reasoning: { context: 'auto', mode: 'standard' } },
    stream_options: { include_obfuscation: true, reasoning_summary_delivery: 'sequential_cutoff' },
  };
  const { config } = await readBody({ model: 'anthropic/claude', ...neutral, ...hints });

  expect(config).toMatchObject({ provider_options: {}, verbosity: null, response: { user: 'ada' } });
});

test.each([
  ['openai', 'gpt-4.1', {}],
  ['openai', 'meta-llama/x', {}],
  ['gemini', 'flash', { env: { GEMINI_API_KEY: 'k' } }],
  ['sim', 'gpt-4.1', { env: {} }],
  ['gemini', 'gpt-4.1', { settings: { defaultProvider: 'gemini' } }],
])('a model name without a known provider goes unchanged to %s: %s', async (provider, model, operator) => {
  const { config } = await readBody({ model }, operator);

  expect(config).toMatchObject({ model: `${provider}/${model}`, response: { model } });
});

test('a model alias takes precedence, and an ambiguous provider is refused', async () => {
  const settings = { modelAliases: { 'gpt-4o-mini': 'gemini/flash' } };
  const { config } = await readBody({ model: 'gpt-4o-mini' }, { settings });
  expect(config).toMatchObject({ model: 'gemini/flash', response: { model: 'gpt-4o-mini' } });

  expect(await refusalOf({}, { env: {} })).toMatchObject({ code: 'provider_not_configured', param: 'model' });
  const env = { ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'k' };
  expect(await refusalOf({ model: 'x' }, { env })).toMatchObject({ code: 'model_not_found', param: 'model' });
});
