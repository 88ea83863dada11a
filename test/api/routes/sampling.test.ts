import { expect, test } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';

const local = (kind: string) => ({ kind, base_url: 'http://127.0.0.1:1' });
const PAWL_PROVIDERS = JSON.stringify({ acme: local('anthropic'), gem: local('gemini') });
const env = { PAWL_PROVIDERS };

test.each([
  [{ model: 'acme/x', verbosity: 'medium' }, 'verbosity'],
  [{ model: 'acme/x', reasoning_effort: 'none' }, 'reasoning_effort'],
  [{ model: 'gem/x', reasoning_effort: 'max' }, 'reasoning_effort'],
])('%j is refused when it is submitted, with the field and the provider', async (given, param) => {
  await using harness = await createHarness({ env });

  const turn = await harness.call('POST', '/v1/turns', { body: { ...given, input: 'Hi' } });
  const standing = await harness.call('POST', '/v1/conversations', { body: given });

  for (const { status, body } of [turn, standing]) {
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { code: 'unsupported_parameter', param } });
    expect(JSON.stringify(body)).toContain(given.model.split('/')[0]);
  }
});

test('a turn that inherits what its own model has no word for is refused', async () => {
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
