import { expect, test } from 'vitest';
import { classifyErrorObject, classifyRefusal } from '#core/llm/gemini/classify-refusal.ts';

const asked = { provider: 'gemini', model: 'gemini-x', apiKey: 'top-secret', keyName: 'GEMINI_API_KEY' };
const refused = (status: number, error: unknown = {}, headers: Record<string, string> = {}) =>
  refusedWith(JSON.stringify({ error }), status, headers);
const refusedWith = (text: string, status: number, headers: Record<string, string> = {}) =>
  classifyRefusal({ kind: 'refused', status, headers: new Headers(headers), text }, asked);
const details = (...details: object[]) => ({ details });
const info = (reason: string) => ({ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason });
const quota = (quotaId: string, quotaValue = '10') => ({
  '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
  violations: [{ quotaId, quotaValue }],
});
const retry = (retryDelay: string) => ({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay });

test.each([
  [400, { ...details(info('API_KEY_INVALID')), message: 'API key not valid.' }, 'provider_authentication_failed'],
  [400, { message: 'API key expired. Please renew the API key.' }, 'provider_authentication_failed'],
  [403, details(info('SERVICE_DISABLED')), 'provider_permission_denied'],
  [
    400,
    { message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).' },
    'context_length_exceeded',
  ],
  [503, { message: 'The model is overloaded. Please try again later.' }, 'provider_overloaded'],
  [503, { message: 'This model is currently experiencing high demand.' }, 'provider_overloaded'],
  [429, { message: 'You exceeded your current quota, please check your plan' }, 'provider_rate_limited'],
  [429, details(quota('GenerateRequestsPerMinutePerProjectPerModel-FreeTier')), 'provider_rate_limited'],
  [429, details(quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier'), retry('17s')), 'quota_exceeded'],
  [429, details(quota('GenerateRequestsPerMinutePerProjectPerModel-FreeTier', '0')), 'quota_exceeded'],
  [429, { message: 'Quota exceeded for metric: x, limit: 0, model: gemini-x' }, 'quota_exceeded'],
  [429, { message: 'Your prepayment credits are depleted.' }, 'quota_exceeded'],
])('gemini: a %i with %j is %s', (status, error, code) => {
  expect(refused(status, error)).toMatchObject({ code });
});

test('gemini: the pause of a retry is RetryInfo, or else Retry-After', () => {
  expect(refused(429, details(retry('17s'))).retry).toEqual({ kind: 'rate-limited', afterMs: 17_000 });
  expect(refused(429, details(retry('0.25s')), { 'retry-after': '9' }).retry).toEqual({
    kind: 'rate-limited',
    afterMs: 250,
  });
  expect(refused(429, {}, { 'retry-after': '9' }).retry).toEqual({ kind: 'rate-limited', afterMs: 9000 });
  expect(refused(503, details(retry('2s'))).retry).toEqual({ kind: 'later', afterMs: 2000 });
  expect(refused(429, details(retry('soon'))).retry).toEqual({ kind: 'rate-limited' });
  expect(refused(400, details(retry('2s'))).retry).toEqual({ kind: 'never' });
});

test('gemini: an error is read from an object, a list, a text or an empty body', () => {
  const read = (error: unknown) => refusedWith(typeof error === 'string' ? error : JSON.stringify(error), 400);

  expect(read([{ error: { code: 400, message: 'In a list' } }]).message).toContain('In a list');
  expect(read('{"error":{"message":"As text"}}').message).toContain('As text');
  expect(read({ error: 'Just words' }).message).toContain('Just words');
  for (const error of ['', '<html>', null, 7, { error: null }, []]) {
    expect(read(error)).toMatchObject({
      code: 'provider_invalid_request',
    });
  }
});

test.each([
  [{ code: 429, message: 'Slow down' }, 'provider_rate_limited', 'rate-limited', 429],
  [{ status: 'UNAVAILABLE', message: 'The model is overloaded' }, 'provider_overloaded', 'later', 503],
  [{ status: 'DEADLINE_EXCEEDED' }, 'provider_timeout', 'later', 504],
  [{ status: 'INVALID_ARGUMENT' }, 'provider_invalid_request', 'never', 400],
  [{ message: 'Something broke' }, 'provider_unavailable', 'later', null],
])('gemini: an error %j in a stream is %s', (error, code, kind, status) => {
  const headers = new Headers({ 'retry-after': '99' });

  const failure = classifyErrorObject(error, headers, asked);

  expect(failure).toMatchObject({ code, retry: { kind }, provider: { status } });
  expect(failure.retry).not.toHaveProperty('afterMs');
});

test('gemini: a failure names the setting and the request id, and quotes Google', () => {
  const failure = refused(
    400,
    { ...details(info('API_KEY_INVALID')), message: 'Bad key top-secret', status: 'INVALID_ARGUMENT' },
    { 'x-request-id': 'req_9' },
  );

  expect(failure.message).toBe('gemini refused the key (400). Check GEMINI_API_KEY. gemini says: "Bad key [redacted]"');
  expect(failure.provider).toEqual({ status: 400, code: 'API_KEY_INVALID', request_id: 'req_9' });
});
