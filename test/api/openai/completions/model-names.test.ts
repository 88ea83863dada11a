import { expect, test } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { completing, scriptedUser, user } from './completing.ts';
import { shareHarness } from './share-harness.ts';

const sharedHarness = shareHarness();
const messages = [scriptedUser({ answer: 'Hello.' })];

test.each([
  ['openai/gpt-4.1', 'gpt-4.1'],
  ['gpt-4.1', 'gpt-4.1'],
  ['meta-llama/x', 'meta-llama/x'],
  ['built-in', 'aliased'],
])('the model name %s reaches its provider as %s, and the completion repeats it', async (model, sent) => {
  await using harness = await createHarness({
    env: { PAWL_MODEL_ALIASES: JSON.stringify({ 'built-in': 'openai/aliased' }) },
  });
  await using _worker = await startBackgroundWorker(harness);
  const { complete, completions, lastSent } = completing(harness);

  const completion = await complete({ model, messages });

  expect(completion.model).toBe(model);
  expect((await completions.retrieve(completion.id)).model).toBe(model);
  expect(lastSent().model).toBe(sent);
});

test('a model name without a provider uses the default provider', async () => {
  await using harness = await createHarness({
    env: (base_url) => ({
      PAWL_DEFAULT_PROVIDER: 'local',
      PAWL_PROVIDERS: JSON.stringify({ local: { kind: 'openai', base_url } }),
    }),
  });
  await using _worker = await startBackgroundWorker(harness);
  const { complete, turnOf } = completing(harness);

  const completion = await complete({ model: 'gpt-4.1', messages });

  expect((await turnOf(completion)).model).toBe('local/gpt-4.1');
});

test.each([
  ['provider_not_configured', { model: 'anthropic/claude' }],
  ['missing_required_parameter', { model: undefined }],
  ['invalid_value', { model: '' }],
  ['invalid_value', { model: 7 }],
])('a model name without a configured provider is refused with %s: %j', async (code, body) => {
  const error = await completing(sharedHarness()).refused({ messages: [user('Hi')], ...body } as never);

  expect(error).toMatchObject({ status: 400, code, param: 'model', type: 'invalid_request_error' });
});
