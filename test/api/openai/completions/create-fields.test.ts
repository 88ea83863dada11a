import { expect } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { test } from '../test.ts';
import { clientTool, completing, scriptedUser, turnIdOf } from './completing.ts';
import { shareHarness } from './share-harness.ts';

const messages = [scriptedUser({ answer: 'Hello.' })];
const sharedHarness = shareHarness({ ANTHROPIC_API_KEY: 'none-at-all' });

test.each([
  ['n', { n: 2 }],
  ['n', { n: 0 }],
  ['logprobs', { logprobs: true }],
  ['top_logprobs', { top_logprobs: 2 }],
  ['modalities', { modalities: ['text', 'audio'] }],
  ['audio', { audio: { voice: 'alloy', format: 'mp3' } }],
  ['prediction', { prediction: { type: 'content', content: 'Hello.' } }],
  ['service_tier', { service_tier: 'batch' }],
  ['web_search_options', { web_search_options: {} }],
  ['max_', { max_tokens: 5, max_completion_tokens: 5 }],
  ['', { tools: [clientTool('a')], functions: [{ name: 'b' }] }],
  ['stream_options', { stream_options: { include_usage: true } }],
  ['temperature', { temperature: 3 }],
  ['top_p', { top_p: 2 }],
  ['stop', { stop: ['a', 'b', 'c', 'd', 'e'] }],
  ['stop', { stop: 7 }],
  ['seed', { seed: 1.5 }],
  ['max_completion_tokens', { max_completion_tokens: 0 }],
  ['reasoning_effort', { reasoning_effort: 'extreme' }],
  ['verbosity', { verbosity: 'loud' }],
  ['store', { store: 'yes' }],
  ['stream', { stream: 'yes' }],
  ['parallel_tool_calls', { parallel_tool_calls: 'no' }],
  ['metadata', { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, ''])) }],
  ['metadata', { metadata: { a: 1 } }],
  ['response_format', { response_format: 'json' }],
  ['response_format.type', { response_format: { type: 'xml' } }],
  ['response_format.json_schema', { response_format: { type: 'json_schema' } }],
  ['response_format.json_schema.name', { response_format: { type: 'json_schema', json_schema: { schema: {} } } }],
  ['pawl.limits', { pawl: { limits: { max_rounds: 0 } } }],
  ['pawl.tools[1]', { pawl: { tools: ['weather_lookup', 'nothing'] } }],
  ['pawl.webhook.url', { pawl: { webhook: { url: 'http://10.0.0.1/' } } }],
  ['pawl.nothing', { pawl: { nothing: 1 } }],
])('a create request is refused at %s: %j', async (param, body) => {
  const error = await completing(sharedHarness()).refused({ messages, ...body });

  expect(error).toMatchObject({ status: 400, type: 'invalid_request_error', code: expect.any(String) });
  expect(error.param?.slice(0, param.length)).toBe(param);
  expect(error.message).toMatch(/^400 .{20,}\.$/s);
});

test.each([
  ['mutually_exclusive_parameters', { max_tokens: 5, max_completion_tokens: 5 }],
  ['mutually_exclusive_parameters', { tools: [clientTool('a')], functions: [{ name: 'b' }] }],
  ['unknown_parameter', { inptu: 1 }],
  ['unknown_parameter', { response_format: { type: 'text', more: 1 } }],
  ['unknown_tool', { pawl: { tools: ['nothing'] } }],
  ['egress_blocked', { pawl: { webhook: { url: 'http://10.0.0.1/' } } }],
])('a create request is refused with the code %s: %j', async (code, body) => {
  expect(await completing(sharedHarness()).refused({ messages, ...body })).toMatchObject({ status: 400, code });
});

const names = [
  ...['audio', 'frequency_penalty', 'function_call', 'functions', 'logit_bias', 'logprobs', 'max_completion_tokens'],
  ...['max_tokens', 'metadata', 'modalities', 'n', 'parallel_tool_calls', 'prediction', 'presence_penalty'],
  ...['prompt_cache_key', 'prompt_cache_retention', 'reasoning_effort', 'response_format', 'safety_identifier', 'seed'],
  ...['service_tier', 'stop', 'store', 'stream', 'stream_options', 'temperature', 'tool_choice', 'tools'],
  ...['top_logprobs', 'top_p', 'user', 'verbosity', 'web_search_options', 'pawl'],
];

test.each([
  ['null', Object.fromEntries(names.map((name) => [name, null]))],
  [
    'a neutral value',
    {
      ...{ n: 1, logprobs: false, top_logprobs: 0, modalities: ['text'], presence_penalty: 0, frequency_penalty: 0 },
      ...{ logit_bias: {}, stream: false, service_tier: 'auto', response_format: { type: 'text' }, tools: [] },
    },
  ],
])('%s in a field sends the model the same request as an absent field', async (_, fields) => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  const { complete } = completing(harness);

  const plain = await complete({ messages });
  const given = await complete({ messages, ...fields });

  const [first, second] = harness.modelRequests.map(({ sent: { prompt_cache_key: _, ...sent } }) => sent);
  expect(second).toEqual(first);
  expect({ ...given, id: plain.id, created: plain.created }).toEqual(plain);
});

test('fields that change the answer reach the model', async ({ harness, worker: _ }) => {
  const { complete, lastSent } = completing(harness);
  const fields = {
    ...{ temperature: 0.5, top_p: 0.9, seed: 7, stop: ['END'], presence_penalty: 1, frequency_penalty: -1 },
    ...{ logit_bias: { 50256: -100 }, reasoning_effort: 'high', verbosity: 'low', service_tier: 'flex' },
    ...{ user: 'ada', prompt_cache_key: 'key' },
  };

  const { choices } = await complete({ messages, ...fields, metadata: { a: 'b' } });
  const sent = lastSent();
  await complete({ messages, stop: 'END' });

  expect(choices[0]?.finish_reason).toBe('stop');
  expect(sent).toMatchObject(fields);
  expect(lastSent().stop).toEqual(['END']);
});

test.each([
  ['presence_penalty', { presence_penalty: 1 }],
  ['frequency_penalty', { frequency_penalty: 1 }],
  ['logit_bias', { logit_bias: { 1: 1 } }],
  ['verbosity', { verbosity: 'low' }],
  ['seed', { seed: 7 }],
  ['response_format', { response_format: { type: 'json_object' } }],
])('%s is refused if the wire of the model does not support it', async (param, body) => {
  const error = await completing(sharedHarness()).refused({ model: 'anthropic/claude-opus-5', messages, ...body });

  expect(error).toMatchObject({ status: 400, code: 'unsupported_parameter', param });
});

test('the fields of pawl are fields of a turn request', async ({ harness, worker: _ }) => {
  await using endpoint = await openExternalServer(() => ({ status: 200 }));
  const { complete, lastSent } = completing(harness);
  const pawl = {
    ...{ limits: { max_rounds: 3, max_total_tokens: 1_000 }, model_retry: { max_attempts: 2 } },
    ...{ provider_options: { top_k: 5 }, webhook: { url: endpoint.url, events: ['turn.completed'] } },
  };

  const { id } = await complete({ messages, pawl, metadata: { a: 'b' } });
  const turn = await harness.call('GET', `/v1/turns/${turnIdOf(id)}?include=config`);

  expect(turn.body).toMatchObject({ metadata: { a: 'b' }, config: { limits: pawl.limits } });
  expect(lastSent()).toMatchObject({ top_k: 5 });
  const { body } = await endpoint.arrival(1);
  expect(JSON.parse(body)).toMatchObject({ type: 'turn.completed', data: { id: turnIdOf(id) } });
});
