import { expect } from 'vitest';
import { mayAsk, mayAskProvider } from '#core/project.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { testWith } from '#test/harness/test.ts';
import { describeRefusal } from '../../refusals.ts';

const env = {
  PAWL_PROJECTS: JSON.stringify({
    bound: { keys: ['key-of-bound'], allowed_models: ['openai/test*', 'sim/demo'] },
    free: { keys: ['key-of-free'] },
  }),
  PAWL_MODEL_ALIASES: JSON.stringify({ small: 'openai/test-1', large: 'openai/other' }),
  ANTHROPIC_API_KEY: 'sk-test',
};
const [model, input] = ['openai/test', 'Hi'];

const test = testWith({ env });

test('a forbidden model is refused as model, fallback or summary model of a turn', async () => {
  await using harness = await createHarness({ env });
  const bound = apiClient(harness.url, 'key-of-bound');
  const free = apiClient(harness.url, 'key-of-free');
  const ask = async (path: string, body: object) => describeRefusal(await bound.call('POST', path, { body }));
  const { body: open } = await bound.call('POST', '/v1/conversations', { body: {} });
  const context = { strategy: 'summarize', model: 'anthropic/x' };
  const bodies = [
    { model: 'openai/other', input },
    { model, input, fallback_models: ['sim/demo', 'anthropic/x'] },
    { model, input, context },
  ];
  const refusals = ['model', 'fallback_models[1]', 'context.model'].map((param) => `403 model_not_allowed: ${param}`);

  for (const path of ['/v1/turns', '/v1/conversations', `/v1/conversations/${open.id}/turns`]) {
    expect(await Promise.all(bodies.map((body) => ask(path, body))), path).toEqual(refusals);
  }
  expect(await ask('/v1/conversations', { model: 'openai/other' })).toBe(refusals[0]);
  expect(await ask('/v1/conversations', { fallback_models: ['openai/other'] })).toBe(
    '403 model_not_allowed: fallback_models[0]',
  );
  for (const name of ['openai/other', 'large', 'other']) {
    expect(await ask('/v1/responses', { model: name, input, background: true }), name).toBe(refusals[0]);
  }
  const changed = await bound.call('PATCH', `/v1/conversations/${open.id}`, { body: { model: 'openai/other' } });
  expect(describeRefusal(changed)).toBe(refusals[0]);
  expect((await bound.call('POST', '/v1/turns', { body: { model: 'openai/test-2', input } })).status).toBe(202);
  const aliased = { body: { model: 'small', input, background: true } };
  expect((await bound.call('POST', '/v1/responses', aliased)).status).toBe(200);
  for (const body of bodies) expect((await free.call('POST', '/v1/turns', { body })).status).toBe(202);
});

test('lists of models have only the allowed models of the project', async ({ harness }) => {
  const idsOf = async (key: string, path: string) => {
    const { body } = await apiClient(harness.url, key).call<{ data: { id: string }[] }>('GET', path);
    return body.data.map(({ id }) => id);
  };

  expect(await idsOf('key-of-bound', '/v1/models')).toEqual(['openai/*', 'sim/*']);
  expect(await idsOf('key-of-free', '/v1/models')).toEqual(['openai/*', 'anthropic/*', 'sim/*', 'sim-responses/*']);
  const [bound, free] = await Promise.all(
    ['key-of-bound', 'key-of-free'].map((key) => idsOf(key, '/openai/v1/models')),
  );
  expect(bound).toContain('small');
  expect(bound).toContain('sim/demo');
  expect(bound?.every((id) => id === 'small' || mayAsk({ allowedModels: ['openai/test*', 'sim/demo'] }, id))).toBe(
    true,
  );
  expect(free).toContain('large');
  const one = await apiClient(harness.url, 'key-of-bound').call('GET', '/openai/v1/models/large');
  expect(describeRefusal(one)).toBe('404 model_not_listed: id');
});

test('an accepted turn continues, also after a retry, if its model is forbidden later', async ({ harness }) => {
  const free = apiClient(harness.url, 'key-of-free');
  const fault = { kind: 'status' as const, status: 401, times: 1 };
  const { id } = await free.startTurn({ model: 'openai/other', input: scripted({ final: { fault } }) });

  allowOnly(harness, 'sim/*');
  await harness.workUntilIdle();
  const failed = await free.findTurn(id);
  const retried = await free.call('POST', `/v1/turns/${id}/retry`);
  await harness.workUntilIdle();

  expect([failed.status, retried.status]).toEqual(['failed', 202]);
  expect((await free.findTurn(id)).status).toBe('completed');
});

test('a repeated idempotency key is answered if its model is forbidden later', async ({ harness }) => {
  const free = apiClient(harness.url, 'key-of-free');
  const post = (path: string) => {
    const body = { model: 'openai/other', input, ...(path.endsWith('responses') && { background: true }) };
    return free.call('POST', path, { body, headers: { 'idempotency-key': 'once' } });
  };
  const paths = ['/v1/turns', '/v1/conversations', '/v1/responses'];
  const made = await Promise.all(paths.map(post));

  allowOnly(harness, 'sim/*');
  const again = await Promise.all(paths.map(post));

  expect(again.map(({ status, body }) => [status, body.id])).toEqual(made.map(({ status, body }) => [status, body.id]));
  expect(again.map(({ headers }) => headers.get('idempotency-replayed'))).toEqual(paths.map(() => 'true'));
});

test('the metadata of a conversation can change if its model is forbidden later', async ({ harness }) => {
  const free = apiClient(harness.url, 'key-of-free');
  const { body } = await free.call('POST', '/v1/conversations', { body: { model: 'openai/other' } });
  const change = (changes: object) => free.call('PATCH', `/v1/conversations/${body.id}`, { body: changes });

  allowOnly(harness, 'sim/*');
  const changed = await change({ metadata: { customer: '17' } });

  expect(changed).toMatchObject({ status: 200, body: { model: 'openai/other', metadata: { customer: '17' } } });
  expect(describeRefusal(await change({ seed: 7 }))).toBe('403 model_not_allowed: model');
});

/** Forbids all other models for every project. */
function allowOnly({ parts }: Harness, ...allowedModels: string[]): void {
  const { find } = parts.projects;
  parts.projects.find = (name) => ({ ...find(name), allowedModels });
}

test.each([
  [['*'], true, true],
  [['o*'], true, true],
  [['openai/*'], true, true],
  [['openai/gpt-4*'], false, true],
  [['openai/gpt-5'], true, true],
  [['anthropic/*', 'openaix/*'], false, false],
  [[], false, false],
])('%j: openai/gpt-5 is allowed: %s, any model of openai is allowed: %s', (allowedModels, model, provider) => {
  expect(mayAsk({ allowedModels }, 'openai/gpt-5')).toBe(model);
  expect(mayAskProvider({ allowedModels }, 'openai')).toBe(provider);
});
