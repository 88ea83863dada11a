import { expect, test } from 'vitest';
import { classifyBreakage } from '#core/llm/errors/classify-breakage.ts';
import { classifyErrorObject, classifyRefusal } from '#core/llm/errors/classify-refusal.ts';

const asked = { provider: 'openai', model: 'gpt-x', apiKey: 'top-secret', keyName: 'OPENAI_API_KEY' };
const refused = (status: number, error: object = {}, headers: Record<string, string> = {}) =>
  classifyRefusal({ kind: 'refused', status, headers: new Headers(headers), text: JSON.stringify({ error }) }, asked);

test.each([
  [400, 'provider_invalid_request', 'never'],
  [401, 'provider_authentication_failed', 'never'],
  [402, 'quota_exceeded', 'never'],
  [403, 'provider_permission_denied', 'never'],
  [404, 'provider_model_not_found', 'never'],
  [408, 'provider_timeout', 'later'],
  [409, 'provider_unavailable', 'later'],
  [413, 'provider_invalid_request', 'never'],
  [422, 'provider_invalid_request', 'never'],
  [429, 'provider_rate_limited', 'rate-limited'],
  [500, 'provider_unavailable', 'later'],
  [502, 'provider_unavailable', 'later'],
  [503, 'provider_unavailable', 'later'],
  [504, 'provider_timeout', 'later'],
  [529, 'provider_overloaded', 'later'],
])('a %i is %s, to try again: %s', (status, code, kind) => {
  expect(refused(status)).toMatchObject({ code, retry: { kind }, provider: { status } });
});

test.each([
  [429, { code: 'insufficient_quota' }, 'quota_exceeded'],
  [429, { message: 'You exceeded your current quota, please slow down' }, 'provider_rate_limited'],
  [400, { code: 'context_length_exceeded' }, 'context_length_exceeded'],
  [400, { message: "This model's maximum context length is 8192 tokens." }, 'context_length_exceeded'],
  [400, { message: "This model's maximum prompt length is 131072" }, 'context_length_exceeded'],
  [413, { message: 'prompt is too long: 220000 tokens > 200000 maximum' }, 'context_length_exceeded'],
  [400, { message: 'the request exceeds the available context size' }, 'context_length_exceeded'],
  [400, { message: 'Incorrect API key provided: xa***' }, 'provider_authentication_failed'],
  [400, { message: 'foo/bar is not a valid model ID' }, 'provider_model_not_found'],
  [503, { message: 'The engine is currently overloaded' }, 'provider_overloaded'],
  [409, { message: 'the model x was not found in this region, it is being moved' }, 'provider_unavailable'],
  [408, { message: 'the request exceeds the available context size' }, 'provider_timeout'],
  [400, { code: 'tool_use_failed', message: 'Tool call validation failed' }, 'provider_bad_response'],
])('a %i with %j is %s', (status, error, code) => {
  expect(refused(status, error)).toMatchObject({ code });
});

test.each([
  [{ code: 429, message: 'Slow down' }, 'provider_rate_limited', 'rate-limited'],
  [{ code: '401', message: 'Access denied' }, 'provider_authentication_failed', 'never'],
  [{ status_code: 400, type: 'invalid_request_error' }, 'provider_invalid_request', 'never'],
  [{ type: 'invalid_request_error', message: 'No' }, 'provider_invalid_request', 'never'],
  [{ type: 'overloaded_error' }, 'provider_overloaded', 'later'],
  [{ code: 'rate_limit_exceeded' }, 'provider_rate_limited', 'rate-limited'],
  [{ message: 'Something broke' }, 'provider_unavailable', 'later'],
  ['Something broke', 'provider_unavailable', 'later'],
  [null, 'provider_unavailable', 'later'],
])('inside a stream %j is %s', (body, code, kind) => {
  expect(classifyErrorObject(body, new Headers(), asked)).toMatchObject({ code, retry: { kind } });
});

test('what a provider asks to wait is kept, unless waiting cannot help', () => {
  expect(refused(429, {}, { 'retry-after': '2' }).retry).toEqual({ kind: 'rate-limited', afterMs: 2000 });
  expect(refused(503, {}, { 'retry-after-ms': '250' }).retry).toEqual({ kind: 'later', afterMs: 250 });
  expect(refused(400, {}, { 'retry-after': '2' }).retry).toEqual({ kind: 'never' });
});

test('a failure says where to look, quotes the provider and says how to find the call', () => {
  const failure = refused(
    401,
    { message: 'Bad key: top-secret', code: 'invalid_api_key' },
    { 'x-request-id': 'req_9' },
  );

  expect(failure.message).toBe(
    'openai refused the key (401). Check OPENAI_API_KEY. openai says: "Bad key: [redacted]"',
  );
  expect(failure.provider).toEqual({ status: 401, code: 'invalid_api_key', request_id: 'req_9' });
});

const caused = (code: string) => new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code }) });

test.each([
  [caused('ECONNREFUSED'), 'provider_unavailable'],
  [new Error('wrapped', { cause: caused('ENOTFOUND') }), 'provider_unavailable'],
  [caused('UND_ERR_CONNECT_TIMEOUT'), 'provider_timeout'],
  [new TypeError('fetch failed'), 'provider_unavailable'],
  [caused('ETIMEDOUT'), 'provider_timeout'],
  [
    new TypeError('terminated', { cause: Object.assign(new Error('x'), { code: 'UND_ERR_SOCKET' }) }),
    'provider_unavailable',
  ],
  [caused('UND_ERR_BODY_TIMEOUT'), 'provider_timeout'],
  [new SyntaxError('bad JSON'), 'provider_bad_response'],
])('%s is %s, to try again', (error, code) => {
  expect(classifyBreakage(error, asked)).toMatchObject({ code, retry: { kind: 'later' } });
});

test('a mistake of our own is internal, and its text stays inside', () => {
  const failure = classifyBreakage(new RangeError('top-secret detail'), asked);

  expect(failure).toMatchObject({ code: 'internal', retry: { kind: 'never' } });
  expect(failure.message).toBe('The call to openai failed inside Pawl (RangeError).');
});
