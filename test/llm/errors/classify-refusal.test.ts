import { expect, test } from 'vitest';
import { classifyBreakage } from '#core/llm/errors/classify-breakage.ts';
import { classifyErrorObject, classifyRefusal } from '#core/llm/errors/classify-refusal.ts';
import * as gemini from '#core/llm/gemini/classify-refusal.ts';

const asked = { provider: 'openai', model: 'gpt-x', apiKey: 'top-secret', keyName: 'OPENAI_API_KEY' };
const refusal = (status: number, body: unknown, headers: Record<string, string> = {}) => ({
  ...{ kind: 'refused' as const, status, headers: new Headers(headers) },
  text: typeof body === 'string' ? body : (JSON.stringify(body) ?? ''),
});
const refused = (status: number, error: object = {}, headers: Record<string, string> = {}) =>
  classifyRefusal(refusal(status, { error }, headers), asked);
/** Classifies a refusal in the form of Anthropic and servers of its wire. */
const typed = (status: number, error: object = {}, headers: Record<string, string> = {}) =>
  classifyRefusal(refusal(status, { type: 'error', error }, headers), asked);

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
  [499, 'provider_unavailable', 'later'],
  [500, 'provider_unavailable', 'later'],
  [502, 'provider_unavailable', 'later'],
  [503, 'provider_unavailable', 'later'],
  [504, 'provider_timeout', 'later'],
  [529, 'provider_overloaded', 'later'],
])('a %i is %s on every wire, with retry %s', (status, code, kind) => {
  const expected = { code, retry: { kind }, provider: { status } };

  expect(refused(status)).toMatchObject(expected);
  expect(typed(status)).toMatchObject(expected);
  expect(gemini.classifyRefusal(refusal(status, { error: {} }), asked)).toMatchObject(expected);
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
  [401, 'auth_error', 'provider_authentication_failed', 'never'],
  // Gateways write one type into all answers. If the type contradicts the status, the status counts.
  [400, 'api_error', 'provider_invalid_request', 'never'],
  [401, 'api_error', 'provider_authentication_failed', 'never'],
  [403, 'api_error', 'provider_permission_denied', 'never'],
  [404, 'api_error', 'provider_model_not_found', 'never'],
  [401, 'overloaded_error', 'provider_authentication_failed', 'never'],
  [404, 'invalid_request_error', 'provider_model_not_found', 'never'],
  [429, 'invalid_request_error', 'provider_rate_limited', 'rate-limited'],
  [503, 'invalid_request_error', 'provider_unavailable', 'later'],
  // If the status does not show whether a retry may help, the type decides.
  [400, 'authentication_error', 'provider_authentication_failed', 'never'],
  [400, 'billing_error', 'quota_exceeded', 'never'],
  [503, 'overloaded_error', 'provider_overloaded', 'later'],
])('a %i with the type %s is %s, with retry %s', (status, type, code, kind) => {
  const expected = { code, retry: { kind }, provider: { status } };

  expect(typed(status, { type })).toMatchObject(expected);
  expect(typed(status, { type, message: 'Oh' })).toMatchObject(expected);
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
  [{ type: 'error', error: { type: 'overloaded_error', message: 'Oh' } }, 'provider_overloaded', 'later'],
  [{ type: 'error', error: { type: 'api_error', message: 'Oh' } }, 'provider_unavailable', 'later'],
  [{ type: 'error', error: { type: 'rate_limit_error' } }, 'provider_rate_limited', 'rate-limited'],
  [{ type: 'error', error: { type: 'invalid_request_error' } }, 'provider_invalid_request', 'never'],
  [{ type: 'error', error: { type: 'something_new', message: 'Oh' } }, 'provider_unavailable', 'later'],
])('an error %j in a stream is %s, and its retry ignores headers', (body, code, kind) => {
  const failure = classifyErrorObject(body, new Headers({ 'retry-after': '9' }), asked);

  expect(failure).toMatchObject({ code });
  expect(failure.retry).toEqual({ kind });
});

test.each([
  [429, { type: 'rate_limit_error', details: { error_code: 'enforced_spend_limit_reached' } }],
  [429, { type: 'rate_limit_error', details: { error_code: 'contract_spend_limit_reached' } }],
  [400, { type: 'invalid_request_error', message: 'Your credit balance is too low to access the API.' }],
  [400, { type: 'invalid_request_error', message: 'You have reached your specified API usage limits. You will …' }],
  [400, { type: 'invalid_request_error', message: 'You have reached your specified workspace API usage limits.' }],
])('a %i with %j is quota_exceeded, without a retry', (status, error) => {
  const failure = typed(status, error, { 'retry-after': '5' });

  expect(failure).toMatchObject({ code: 'quota_exceeded', retry: { kind: 'never' } });
});

test.each([
  [400, 'invalid_request_error', 'prompt is too long: 207791 tokens > 200000 maximum'],
  [
    400,
    'invalid_request_error',
    'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease',
  ],
  [413, 'request_too_large', 'Prompt is too long'],
])('a %i of %s with "%s" is context_length_exceeded', (status, type, message) => {
  const failure = typed(status, { type, message });

  expect(failure).toMatchObject({ code: 'context_length_exceeded', retry: { kind: 'never' } });
});

test('a retry waits as the provider requests, unless a retry cannot help', () => {
  expect(refused(429, {}, { 'retry-after': '2' }).retry).toEqual({ kind: 'rate-limited', afterMs: 2000 });
  expect(refused(429).retry).toEqual({ kind: 'rate-limited' });
  expect(refused(503, {}, { 'retry-after-ms': '250' }).retry).toEqual({ kind: 'later', afterMs: 250 });
  expect(refused(400, {}, { 'retry-after': '2' }).retry).toEqual({ kind: 'never' });
});

test('a failure names the setting and the request id, and quotes the provider', () => {
  const error = { message: 'Bad key: top-secret', code: 'invalid_api_key' };
  const failure = refused(401, error, { 'x-request-id': 'req_9' });
  const named = typed(401, { type: 'authentication_error' }, { 'request-id': 'req_9', 'x-request-id': 'other' });
  const inBody = classifyRefusal(refusal(500, { error: { type: 'api_error' }, request_id: 'req_b' }), asked);

  expect(failure.message).toBe(
    'openai refused the key (401). Check OPENAI_API_KEY. openai says: "Bad key: [redacted]"',
  );
  expect(failure.provider).toEqual({ status: 401, code: 'invalid_api_key', request_id: 'req_9' });
  expect(named.provider).toEqual({ status: 401, code: 'authentication_error', request_id: 'req_9' });
  expect(inBody.provider.request_id).toBe('req_b');
});

test.each([
  ['text', 'Bad gateway'],
  ['a list', [{ error: { code: 502 } }]],
  ['an error of text', { error: 'upstream' }],
  ['nothing', undefined],
])('an error body of %s is read as far as possible', (_, body) => {
  expect(classifyRefusal(refusal(502, body), asked)).toMatchObject({
    code: 'provider_unavailable',
    provider: { status: 502 },
  });
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
])('%s is %s, with a retry', (error, code) => {
  expect(classifyBreakage(error, asked)).toMatchObject({ code, retry: { kind: 'later' } });
});

test('an error of Pawl itself is internal, and its text is hidden', () => {
  const failure = classifyBreakage(new RangeError('top-secret detail'), asked);

  expect(failure).toMatchObject({ code: 'internal', retry: { kind: 'never' } });
  expect(failure.message).toBe('The call to openai failed inside Pawl (RangeError).');
});
