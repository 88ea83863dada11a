import { expect } from 'vitest';
import type { TurnConfig } from '#core/turn/request/turn.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { test } from '#test/harness/test.ts';

const claude = 'anthropic/claude-sonnet-4-5';
const providers = {
  basic: { kind: 'openai', base_url: 'http://127.0.0.1:1/v1', tools: false },
};
const env = { ANTHROPIC_API_KEY: 'none-at-all', PAWL_PROVIDERS: JSON.stringify(providers) };

test.for([
  ['a provider that is not configured', { fallback_models: [claude, 'nowhere/model'] }, 'provider_not_configured', 1],
  ['a name without a provider', { fallback_models: ['gpt-4.1'] }, 'invalid_value', 0],
  ['a wire without the field', { fallback_models: ['sim/demo', claude], verbosity: 'low' }, 'unsupported_parameter', 1],
  ['a wire without the word', { fallback_models: [claude], reasoning_effort: 'minimal' }, 'unsupported_parameter', 0],
  [
    'a provider without tool calls',
    { fallback_models: ['basic/model'], tools: ['weather_lookup'] },
    'tools_not_supported',
    0,
  ],
] as const)('a fallback of %s is refused with its index', async ([, own, code, index]) => {
  await using harness = await createHarness({ env });
  const error = { code, param: `fallback_models[${index}]` };

  const turn = await harness.call('POST', '/v1/turns', { body: { model: 'openai/test', input: 'Hi', ...own } });
  const standing = await harness.call('POST', '/v1/conversations', { body: own });

  expect(turn).toMatchObject({ status: 400, body: { error } });
  expect(standing).toMatchObject({ status: 400, body: { error } });
});

test('a turn with more than five fallback models is refused', async ({ harness }) => {
  const models = Array.from({ length: 6 }, (_, index) => `sim/m${index}`);

  const answer = await harness.call('POST', '/v1/turns', {
    body: { model: 'openai/test', input: 'Hi', fallback_models: models },
  });

  expect(answer).toMatchObject({ status: 400, body: { error: { param: 'fallback_models' } } });
});

test('turns inherit the fallback models of their conversation unless they name others', async ({ harness }) => {
  const { body } = await harness.call('POST', '/v1/conversations', {
    body: { model: 'openai/test', fallback_models: ['sim/demo'] },
  });
  const path = `/v1/conversations/${body.id}/turns`;

  for (const own of [{}, { fallback_models: null }, { fallback_models: ['sim/other', 'openai/test'] }])
    await harness.call('POST', path, { body: { input: 'Hi', ...own } });

  expect(body).toMatchObject({ model: 'openai/test', fallback_models: ['sim/demo'] });
  const rows = await harness.db.selectFrom('turns').select('config').orderBy('position').execute();
  expect(rows.map(({ config }) => (config as TurnConfig).fallback_models)).toEqual([
    ['sim/demo'],
    undefined,
    ['sim/other'],
  ]);
});
