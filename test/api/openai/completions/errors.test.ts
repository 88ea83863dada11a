import { sql } from 'kysely';
import OpenAI from 'openai';
import { expect } from 'vitest';
import { MAX_RATE_LIMIT_WAIT_MS } from '#core/turn/timing.ts';
import { makeRateLimits } from '#services/worker/rate-limits.ts';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { pngOf } from '../../blobs/samples.ts';
import { raised } from '../responses/openai-client.ts';
import { test } from '../test.ts';
import { clientTool, completing, scriptedUser, startedTurn, user } from './completing.ts';

const failing = (fault: object) => [scriptedUser({ answer: 'Never.', final: { fault: fault as never } })];
const overLength = {
  error: { code: 'context_length_exceeded', message: 'This model’s maximum context length is 10.' },
};
const unsupported = { error: { code: 'unsupported_value', message: 'Unsupported value.' } };
const outOfQuota = { error: { code: 'insufficient_quota', type: 'insufficient_quota', message: 'You have no quota.' } };

test.each<[number, string, abstract new (...args: never[]) => Error, object]>([
  [400, 'provider_invalid_request', OpenAI.BadRequestError, { status: 400 }],
  [400, 'model_unsupported_feature', OpenAI.BadRequestError, { status: 400, body: unsupported }],
  [400, 'context_length_exceeded', OpenAI.BadRequestError, { status: 400, body: overLength }],
  [400, 'provider_model_not_found', OpenAI.BadRequestError, { status: 404 }],
  [429, 'quota_exceeded', OpenAI.RateLimitError, { status: 429, body: outOfQuota }],
  [503, 'provider_unavailable', OpenAI.InternalServerError, { status: 502 }],
  [503, 'provider_overloaded', OpenAI.InternalServerError, { status: 529 }],
  [500, 'provider_authentication_failed', OpenAI.InternalServerError, { status: 401 }],
])('a failed completion is %i for the client, with code %s', async (status, code, expected, fault) => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  const { refused, completions } = completing(harness);

  const error = await refused({
    ...{ messages: failing({ kind: 'status', ...fault }), pawl: { model_retry: { max_attempts: 1 } } },
  });

  expect(error).toBeInstanceOf(expected);
  expect(error).toMatchObject({ status, code, param: null });
  expect(error.headers?.get('x-should-retry')).toBe('false');
  expect(error.headers?.get('x-request-id')).toMatch(/^req_/);
  expect(error.headers?.has('retry-after')).toBe(status === 429);
  const id = error.headers?.get('pawl-response-id') ?? '';
  expect(id).toMatch(/^chatcmpl-/);
  expect(await raised(completions.retrieve(id))).toMatchObject({ status, code, message: error.message });
});

test('a model that does not call a required tool fails the completion with 400', async ({ harness, worker: _ }) => {
  const messages = [scriptedUser({ calls_as: 'json', answer: 'No.' })];
  const body = { messages, tools: [clientTool('locate')], tool_choice: 'required', pawl: { tool_mode: 'emulated' } };

  const error = await completing(harness).refused(body);

  expect(error).toBeInstanceOf(OpenAI.BadRequestError);
  expect(error.code).toBe('tool_choice_violated');
});

test('a persistent rate limit of the provider fails with 429 and retry-after', async ({ harness }) => {
  const { refused } = completing(harness);
  const refusing = refused({ messages: [user('Hi')] });
  await startedTurn(harness);
  let now = 0;
  harness.worker.rateLimits = makeRateLimits(harness.worker.pubsub, () => now);
  harness.worker.rateLimits.refused('openai/test', 1_000);
  now += 1_000;
  harness.worker.rateLimits.refused('openai/test', 60_000);
  await sql`update work set waited_ms = ${MAX_RATE_LIMIT_WAIT_MS}`.execute(harness.db);

  await harness.workUntilIdle();

  const error = await refusing;
  expect(error).toBeInstanceOf(OpenAI.RateLimitError);
  expect(error.code).toBe('provider_rate_limited');
  expect(Number(error.headers?.get('retry-after'))).toBeGreaterThan(0);
  expect(error.headers?.get('x-should-retry')).toBe('false');
});

test('an answer to a create has the usual headers and the id of its completion', async ({ harness, worker: _ }) => {
  const body = { model: 'test', messages: [user('Hi')] };

  const { headers, body: completion } = await harness.call('POST', '/v1/chat/completions', { body });

  expect(headers.get('x-request-id')).toMatch(/^req_/);
  expect(headers.get('openai-processing-ms')).toMatch(/^\d+$/);
  expect(headers.get('pawl-response-id')).toBe(completion.id);
});

test.each([
  ['a stream', { stream: true }],
  ['a completion', {}],
])('%s that is refused gets a JSON error with status 400', async (_, more) => {
  await using harness = await createHarness();
  const body = { model: 'test', messages: [], ...more };

  const { status, headers, body: answer } = await harness.call('POST', '/v1/chat/completions', { body });

  expect(status).toBe(400);
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(headers.get('x-request-id')).toMatch(/^req_/);
  expect(answer).toEqual({
    error: { message: expect.any(String), type: 'invalid_request_error', param: 'messages', code: expect.any(String) },
  });
});

test('an unknown route or method, or invalid JSON, gets the error envelope', async ({ harness }) => {
  const missing = 'chatcmpl-01kagz8m4pfvbte2n5q7rys3wx';

  for (const [method, path, status] of [
    ['GET', `/v1/chat/completions/${missing}`, 404],
    ['GET', '/v1/chat/completions/nonsense', 404],
    ['GET', '/openai/v1/chat/nothing', 404],
    ['PUT', '/v1/chat/completions', 405],
    ['PATCH', `/openai/v1/chat/completions/${missing}`, 405],
  ] as const) {
    const answer = await harness.call(method, path);
    expect.soft([path, answer.status]).toEqual([path, status]);
    expect.soft(answer.body).toMatchObject({ error: { message: expect.any(String), code: expect.any(String) } });
  }
  const notJson = await harness.call('POST', '/v1/chat/completions', { body: '{"model":' });
  expect([notJson.status, notJson.body]).toMatchObject([400, { error: { type: 'invalid_request_error' } }]);
});

test('a key that is not configured is refused', async () => {
  await using harness = await createHarness({ env: { PAWL_API_KEYS: 'alpha:key-a' } });

  const error = await completing(harness, { key: 'wrong' }).refused({ messages: [user('Hi')] });

  expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
});

test('a body with an image of several megabytes is accepted', async ({ harness, worker: _ }) => {
  const url = `data:image/png;base64,${pngOf({ bytes: 3_000_000 })}`;
  const content = [{ type: 'image_url', image_url: { url } }];

  const { choices } = await completing(harness).complete({ messages: [{ role: 'user', content }] });

  expect(choices[0]?.finish_reason).toBe('stop');
});

test('a body above the limit is refused with 413', async () => {
  await using harness = await createHarness({ env: { PAWL_BODY_LIMIT: '1048576' } });

  const error = await completing(harness).refused({ messages: [user('x'.repeat(1_100_000))] });

  expect(error.status).toBe(413);
});
