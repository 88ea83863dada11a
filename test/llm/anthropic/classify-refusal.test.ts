import { expect, test } from 'vitest';
import { classifyBreakage } from '#core/llm/errors/classify-breakage.ts';
import { classifyErrorObject, classifyRefusal } from '#core/llm/errors/classify-refusal.ts';

const asked = { provider: 'anthropic', model: 'claude-x', apiKey: 'top-secret', keyName: 'ANTHROPIC_API_KEY' };
const refused = (status: number, error: object = {}, headers: Record<string, string> = {}) =>
  refusedWith(JSON.stringify({ type: 'error', error }), status, headers);
const refusedWith = (text: string, status: number, headers: Record<string, string> = {}) =>
  classifyRefusal({ kind: 'refused', status, headers: new Headers(headers), text }, asked);
const inStream = (error: object) =>
  classifyErrorObject({ type: 'error', error }, new Headers({ 'retry-after': '9' }), asked);

test.each([
  [400, 'invalid_request_error', 'provider_invalid_request', 'never'],
  [401, 'authentication_error', 'provider_authentication_failed', 'never'],
  [402, 'billing_error', 'quota_exceeded', 'never'],
  [403, 'permission_error', 'provider_permission_denied', 'never'],
  [404, 'not_found_error', 'provider_model_not_found', 'never'],
  [409, 'conflict_error', 'provider_unavailable', 'later'],
  [413, 'request_too_large', 'provider_invalid_request', 'never'],
  [429, 'rate_limit_error', 'provider_rate_limited', 'rate-limited'],
  [500, 'api_error', 'provider_unavailable', 'later'],
  [504, 'timeout_error', 'provider_timeout', 'later'],
  [529, 'overloaded_error', 'provider_overloaded', 'later'],
  // Gateways have words of their own, or none: their status speaks.
  [401, 'auth_error', 'provider_authentication_failed', 'never'],
  [429, undefined, 'provider_rate_limited', 'rate-limited'],
  [503, undefined, 'provider_unavailable', 'later'],
  [529, undefined, 'provider_overloaded', 'later'],
])('a %i with %s is %s, to try again: %s', (status, type, code, kind) => {
  expect(refused(status, type ? { type } : {})).toMatchObject({ code, retry: { kind }, provider: { status } });
});

test.each([
  // Gateways write one type into all they answer.
  [400, 'api_error', 'provider_invalid_request', 'never'],
  [401, 'api_error', 'provider_authentication_failed', 'never'],
  [403, 'api_error', 'provider_permission_denied', 'never'],
  [404, 'api_error', 'provider_model_not_found', 'never'],
  [401, 'overloaded_error', 'provider_authentication_failed', 'never'],
  [404, 'invalid_request_error', 'provider_model_not_found', 'never'],
  [429, 'invalid_request_error', 'provider_rate_limited', 'rate-limited'],
  [503, 'invalid_request_error', 'provider_unavailable', 'later'],
  // What leaves open whether another try may help says it more closely.
  [400, 'authentication_error', 'provider_authentication_failed', 'never'],
  [400, 'billing_error', 'quota_exceeded', 'never'],
  [503, 'overloaded_error', 'provider_overloaded', 'later'],
])('where a %i and its type %s contradict each other it is %s, to try again: %s', (status, type, code, kind) => {
  expect(refused(status, { type, message: 'Oh' })).toMatchObject({ code, retry: { kind }, provider: { status } });
});

test.each([
  ['overloaded_error', 'provider_overloaded', 'later'],
  ['api_error', 'provider_unavailable', 'later'],
  ['rate_limit_error', 'provider_rate_limited', 'rate-limited'],
  ['invalid_request_error', 'provider_invalid_request', 'never'],
  ['something_new', 'provider_unavailable', 'later'],
])('%s inside a stream is %s', (type, code, kind) => {
  expect(inStream({ type, message: 'Oh' })).toMatchObject({ code, retry: { kind }, provider: { status: null } });
  expect(inStream({ type }).retry).toEqual({ kind });
});

test.each([
  [429, { type: 'rate_limit_error', details: { error_code: 'enforced_spend_limit_reached' } }],
  [429, { type: 'rate_limit_error', details: { error_code: 'contract_spend_limit_reached' } }],
  [400, { type: 'invalid_request_error', message: 'Your credit balance is too low to access the API.' }],
  [400, { type: 'invalid_request_error', message: 'You have reached your specified API usage limits. You will …' }],
  [400, { type: 'invalid_request_error', message: 'You have reached your specified workspace API usage limits.' }],
])('a %i with %j means that money is out, which no waiting mends', (status, error) => {
  expect(refused(status, error, { 'retry-after': '5' })).toMatchObject({
    code: 'quota_exceeded',
    retry: { kind: 'never' },
  });
});

test.each([
  [400, 'prompt is too long: 207791 tokens > 200000 maximum'],
  [400, 'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length'],
  [413, 'Prompt is too long'],
])('a %i with "%s" is a conversation too long', (status, message) => {
  const type = status === 413 ? 'request_too_large' : 'invalid_request_error';

  expect(refused(status, { type, message })).toMatchObject({
    code: 'context_length_exceeded',
    retry: { kind: 'never' },
  });
});

test('a rate limit waits for as long as it asks, in each of its forms', () => {
  const error = { type: 'rate_limit_error' };

  expect(refused(429, error, { 'retry-after': '12' }).retry).toEqual({ kind: 'rate-limited', afterMs: 12_000 });
  expect(refused(529, {}, { 'retry-after-ms': '250' }).retry).toEqual({ kind: 'later', afterMs: 250 });
  expect(refused(429, error).retry).toEqual({ kind: 'rate-limited' });
});

test('a failure says where to look, quotes the provider and says how to find the call', () => {
  const error = { type: 'authentication_error', message: 'invalid x-api-key: top-secret' };

  const failure = refused(401, error, { 'request-id': 'req_9', 'x-request-id': 'other' });

  expect(failure.message).toBe(
    'anthropic refused the key (401). Check ANTHROPIC_API_KEY. anthropic says: "invalid x-api-key: [redacted]"',
  );
  expect(failure.provider).toEqual({ status: 401, code: 'authentication_error', request_id: 'req_9' });
});

test('without a header the id of the call stands in the body', () => {
  const body = { type: 'error', error: { type: 'api_error' }, request_id: 'req_b' };

  const failure = refusedWith(JSON.stringify(body), 500);

  expect(failure.provider.request_id).toBe('req_b');
});

test.each([
  ['text', 'Bad gateway'],
  ['a list', [{ error: { code: 502 } }]],
  ['an error of text', { error: 'upstream' }],
  ['nothing', undefined],
])('an error body of %s is read as far as it goes', (_, body) => {
  const failure = refusedWith(typeof body === 'string' ? body : (JSON.stringify(body) ?? ''), 502);

  expect(failure).toMatchObject({ code: 'provider_unavailable', provider: { status: 502 } });
});

test('the network and our own mistakes get codes of their own', () => {
  const cause = new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) });

  expect(classifyBreakage(cause, asked)).toMatchObject({ code: 'provider_unavailable' });
  expect(classifyBreakage(new SyntaxError('bad JSON'), asked)).toMatchObject({ code: 'provider_bad_response' });
  expect(classifyBreakage(new RangeError('top-secret'), asked).message).toBe(
    'The call to anthropic failed inside Pawl (RangeError).',
  );
});
