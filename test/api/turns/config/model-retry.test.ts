import { expect, test } from 'vitest';
import type { TurnConfig } from '#core/turn/request/turn.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';

const env = { PAWL_MODEL_TIMEOUT_LIMIT_MS: '60000' };
const model_retry = { max_attempts: 2, timeout_ms: 60_000, idle_timeout_ms: 1_000 };
const asked = { model: 'openai/test', input: 'Hi', model_retry };

const retryOf = async (harness: Harness, id: unknown) =>
  (await harness.call<{ config: { model_retry: unknown } }>('GET', `/v1/turns/${id}?include=config`)).body.config
    .model_retry;

test.each([
  [{ max_attempts: 0 }, 'model_retry.max_attempts'],
  [{ max_attempts: 21 }, 'model_retry.max_attempts'],
  [{ max_attempts: 1.5 }, 'model_retry.max_attempts'],
  [{ timeout_ms: 0 }, 'model_retry.timeout_ms'],
  [{ idle_timeout_ms: -1 }, 'model_retry.idle_timeout_ms'],
  [5, 'model_retry'],
])('an invalid model_retry is refused with its path: %j', async (given, param) => {
  await using harness = await createHarness({ env });

  const answer = await harness.call('POST', '/v1/turns', { body: { ...asked, model_retry: given } });
  const unknown = await harness.call('POST', '/v1/turns', { body: { ...asked, model_retry: { attempts: 3 } } });

  expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_value', param } } });
  expect(unknown).toMatchObject({
    status: 400,
    body: { error: { code: 'unknown_field', param: 'model_retry.attempts' } },
  });
});

test.each(['timeout_ms', 'idle_timeout_ms'])(
  '%s of model_retry above the limit of the operator is refused',
  async (field) => {
    await using harness = await createHarness({ env });
    const body = { ...asked, model_retry: { [field]: 60_001 } };

    const turn = await harness.call('POST', '/v1/turns', { body });
    const conversation = await harness.call('POST', '/v1/conversations', { body: { model_retry: body.model_retry } });
    const response = await harness.call('POST', '/v1/responses', {
      body: { model: 'openai/test', input: 'Hi', pawl: { model_retry: body.model_retry } },
    });

    const param = `model_retry.${field}`;
    const message = `${param} is above the limit of 60000. Set a lower time, or have the operator raise PAWL_MODEL_TIMEOUT_LIMIT_MS.`;
    const error = { code: 'invalid_value', param, message };
    expect(turn).toMatchObject({ status: 400, body: { error } });
    expect(conversation).toMatchObject({ status: 400, body: { error } });
    expect(response).toMatchObject({ status: 400, body: { error: { param: `pawl.${param}` } } });
  },
);

test('timeouts of model_retry may be an hour unless the operator sets a limit', async () => {
  await using harness = await createHarness();
  const start = (timeout_ms: number) =>
    harness.call('POST', '/v1/turns', { body: { ...asked, model_retry: { timeout_ms } } });

  expect([(await start(3_600_000)).status, (await start(3_600_001)).status]).toEqual([202, 400]);
});

test('turns inherit model_retry, replace it as a whole, and reset it with null', async () => {
  await using harness = await createHarness({ env });
  const standing = { model: 'openai/test', model_retry };
  const { body } = await harness.call('POST', '/v1/conversations', { body: standing });
  const start = async (own: object) => {
    const path = `/v1/conversations/${body.id}/turns`;
    return retryOf(harness, (await harness.call('POST', path, { body: { input: 'Hi', ...own } })).body.id);
  };

  expect(body.model_retry).toEqual(model_retry);
  expect(await start({})).toEqual(model_retry);
  expect(await start({ model_retry: { max_attempts: 1, timeout_ms: null } })).toEqual({ max_attempts: 1 });
  expect(await start({ model_retry: null })).toBeNull();
  expect(await start({ model_retry: {} })).toBeNull();
});

test('a turn without model_retry does not store the field', async () => {
  await using harness = await createHarness({ env });

  for (const given of [undefined, null, {}, { max_attempts: null }])
    await harness.startTurn({ ...asked, model_retry: given });

  const rows = await harness.db.selectFrom('turns').select('config').execute();
  for (const { config } of rows) expect(config).not.toHaveProperty('model_retry');
});

test('a fork, a rerun, a schedule and a response accept model_retry', async () => {
  await using harness = await createHarness({ env });
  const { id } = await harness.startTurn(asked);
  await harness.workUntilIdle();
  const again = async (path: string, body: object) =>
    retryOf(harness, (await harness.call<TurnResource>('POST', `/v1/turns/${id}/${path}`, { body })).body.id);
  const schedule = await harness.call('POST', '/v1/schedules', { body: { every_seconds: 60, turn: asked } });
  const response = await harness.call('POST', '/v1/responses', {
    body: { model: 'openai/test', input: 'Hi', background: true, pawl: { model_retry } },
  });

  expect(await again('fork', { input: 'And?' })).toEqual(model_retry);
  expect(await again('rerun', {})).toEqual(model_retry);
  expect(await again('rerun', { model_retry: { max_attempts: 3 } })).toEqual({ max_attempts: 3 });
  expect(schedule).toMatchObject({ status: 201, body: { turn: { model_retry } } });
  expect(response.status).toBe(200);
  const rows = await harness.db.selectFrom('turns').select('config').where('id', '!=', id).execute();
  const configs = rows.map(({ config }) => config as TurnConfig);
  expect(configs.find(({ response }) => response)?.model_retry).toEqual(model_retry);
});
