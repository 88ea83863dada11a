import { expect, test } from 'vitest';
import { Misconfigured } from '#core/failure.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import { configureProviders } from '#core/llm/providers.ts';
import { readSettings } from '#services/process/settings.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { startWireServer } from '#test/llm/wire-server.ts';

const nowhere = { baseUrl: () => Promise.reject(new Error('no simulator')) };

/** Returns the failure of a request to a silent server. */
async function failureOf(env: Record<string, string>, change: Partial<RoundRequest>) {
  await using server = await startWireServer({ body: [], ending: 'drip' });
  const keys = { OPENAI_API_KEY: 'none-at-all', OPENAI_BASE_URL: server.origin };
  const providers = configureProviders({ ...keys, ...env }, nowhere);
  const asking = providers.find('openai').ask({ ...someRequest, ...change }, new AbortController().signal, () => {});
  const failure = await asking.then(() => null).catch((error: unknown) => error);
  await providers.close();
  return failure;
}

const times = { PAWL_MODEL_TIMEOUT_MS: '60000', PAWL_MODEL_IDLE_TIMEOUT_MS: '20', PAWL_FLEX_IDLE_TIMEOUT_MS: '40' };

test.each([null, 'auto', 'default', 'priority'] as const)(
  'a request with service tier %s has PAWL_MODEL_IDLE_TIMEOUT_MS as idle timeout',
  async (serviceTier) => {
    const failure = await failureOf(times, { serviceTier });

    expect(failure).toMatchObject({ code: 'provider_timeout', message: expect.stringContaining('20 ms') });
  },
);

test('a request on flex has PAWL_FLEX_IDLE_TIMEOUT_MS as idle timeout', async () => {
  const failure = await failureOf(times, { serviceTier: 'flex' });

  expect(failure).toMatchObject({ code: 'provider_timeout', message: expect.stringContaining('40 ms') });
});

test('a request on flex has a total timeout of at least PAWL_FLEX_IDLE_TIMEOUT_MS', async () => {
  const env = { ...times, PAWL_MODEL_TIMEOUT_MS: '20', PAWL_MODEL_IDLE_TIMEOUT_MS: '20' };

  const [flex, ordinary] = [await failureOf(env, { serviceTier: 'flex' }), await failureOf(env, { serviceTier: null })];

  expect(flex).toMatchObject({ code: 'provider_timeout', message: expect.stringContaining('40 ms') });
  expect(ordinary).toMatchObject({ message: expect.stringContaining('20 ms') });
});

test.each(['PAWL_FLEX_IDLE_TIMEOUT_MS', 'PAWL_FLEX_WAIT_MS'])('an invalid %s stops the start with its name', (name) => {
  const env = { DATABASE_URL: 'postgres://127.0.0.1:1/none', [name]: 'long' };

  expect(() => readSettings(env)).toThrow(Misconfigured);
  expect(() => readSettings(env)).toThrow(name);
});
