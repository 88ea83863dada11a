import { expect, test } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';

const local = (kind: string) => ({ kind, base_url: 'http://127.0.0.1:1' });
const PAWL_PROVIDERS = JSON.stringify({ acme: local('anthropic'), gem: local('gemini') });
const env = { PAWL_PROVIDERS };

test.each([
  [{ model: 'acme/x', verbosity: 'medium' }, 'verbosity'],
  [{ model: 'acme/x', reasoning_effort: 'none' }, 'reasoning_effort'],
  [{ model: 'gem/x', reasoning_effort: 'max' }, 'reasoning_effort'],
  [{ model: 'gem/x', prompt_cache: '5m' }, 'prompt_cache'],
  [{ model: 'acme/x', prompt_cache: '1h' }, 'prompt_cache'],
])('%j is refused with the field and the provider', async (given, param) => {
  await using harness = await createHarness({ env });

  const turn = await harness.call('POST', '/v1/turns', { body: { ...given, input: 'Hi' } });
  const standing = await harness.call('POST', '/v1/conversations', { body: given });

  for (const { status, body } of [turn, standing]) {
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { code: 'unsupported_parameter', param } });
    expect(JSON.stringify(body)).toContain(given.model.split('/')[0]);
  }
});

test('a conversation without a model may have a prompt_cache', async () => {
  await using harness = await createHarness({ env });

  const { status, body } = await harness.call<{ id: string }>('POST', '/v1/conversations', {
    body: { prompt_cache: '1h' },
  });
  const refused = await harness.call('POST', `/v1/conversations/${body.id}/turns`, {
    body: { model: 'gem/x', input: 'Hi' },
  });

  expect(status).toBe(201);
  expect(refused).toMatchObject({ status: 400, body: { error: { param: 'prompt_cache' } } });
});

test('turns inherit prompt_cache and show it, and fallback models may lack it', async () => {
  const anthropic = { ...local('anthropic'), prompt_cache: true };
  await using harness = await createHarness({ env: { PAWL_PROVIDERS: JSON.stringify({ anthropic2: anthropic }) } });
  const standing = { model: 'anthropic2/x', prompt_cache: '1h' };
  const { body } = await harness.call<{ id: string }>('POST', '/v1/conversations', { body: standing });
  const start = (own: object) =>
    harness.call<{ id: string }>('POST', `/v1/conversations/${body.id}/turns`, { body: { ...own, input: 'Hi' } });
  const cacheOf = async (id: string) =>
    (await harness.call('GET', `/v1/turns/${id}?include=config`)).body as { config: { prompt_cache: string } };

  const inherited = await start({ fallback_models: ['openai/x'] });
  const back = await start({ prompt_cache: null });
  const refused = await start({ model: 'openai/x' });
  const wrong = await start({ prompt_cache: '2h' });

  expect(body).toMatchObject(standing);
  expect((await cacheOf(inherited.body.id)).config.prompt_cache).toBe('1h');
  expect((await cacheOf(back.body.id)).config.prompt_cache).toBe('auto');
  expect(refused).toMatchObject({
    status: 400,
    body: { error: { code: 'unsupported_parameter', param: 'prompt_cache' } },
  });
  expect(wrong).toMatchObject({ status: 400, body: { error: { code: 'invalid_value', param: 'prompt_cache' } } });
});

test('a turn is refused if its model does not support an inherited field', async () => {
  await using harness = await createHarness({ env });
  const standing = { model: 'openai/x', reasoning_effort: 'none', top_p: 0.5 };
  const { body } = await harness.call<{ id: string }>('POST', '/v1/conversations', { body: standing });
  const start = (own: object) =>
    harness.call('POST', `/v1/conversations/${body.id}/turns`, { body: { ...own, input: 'Hi' } });

  const inherited = await start({ model: 'gem/x' });
  const replaced = await start({ model: 'gem/x', reasoning_effort: null });

  expect(inherited).toMatchObject({ status: 400, body: { error: { param: 'reasoning_effort' } } });
  expect(replaced.status).toBe(202);
});
