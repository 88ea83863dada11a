import { APICallError, LoadAPIKeyError, NoSuchModelError, UnsupportedFunctionalityError } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { hideOptions } from '#core/llm/ai-sdk/ai-sdk-provider.ts';
import { classifyError } from '#core/llm/ai-sdk/reply/classify-error.ts';
import { StreamFailed } from '#core/llm/ai-sdk/reply/reply-accumulator.ts';

const asked = { provider: 'acme', model: 'm', keyName: 'PAWL_PROVIDERS.acme.options' };
const hide = hideOptions(
  { apiKey: 'a-secret-of-mine', headers: { x: ['and-another-one'] }, baseURL: 'https://a.example' },
  {
    AWS_SESSION_TOKEN: 'token-of-the-environment',
    PATH: '/usr/bin:/bin',
  },
);
const before = { asked, hide, hasBegun: false };
const within = { asked, hide, hasBegun: true };

function refusal(statusCode: number | undefined, message: string, more: object = {}) {
  const common = { url: 'https://a.example', requestBodyValues: {}, message };
  return new APICallError({ ...common, ...(statusCode ? { statusCode } : {}), ...more });
}

test.each([
  [refusal(401, 'No.'), 'provider_authentication_failed', 'never'],
  [refusal(403, 'You have no access.'), 'provider_permission_denied', 'never'],
  [refusal(403, 'The security token included in the request is invalid.'), 'provider_authentication_failed', 'never'],
  [refusal(404, 'Gone.'), 'provider_model_not_found', 'never'],
  [refusal(400, 'The provided model identifier is invalid.'), 'provider_model_not_found', 'never'],
  [refusal(400, 'Input is too long for requested model.'), 'context_length_exceeded', 'never'],
  [refusal(400, 'No such field.'), 'provider_invalid_request', 'never'],
  [refusal(429, 'Slowly.'), 'provider_rate_limited', 'rate-limited'],
  [refusal(429, 'x', { responseBody: '{"error":{"code":"insufficient_quota"}}' }), 'quota_exceeded', 'never'],
  [refusal(424, 'The model failed.', { isRetryable: true }), 'provider_unavailable', 'later'],
  [refusal(529, 'Overloaded'), 'provider_overloaded', 'later'],
  [refusal(500, 'Oh.'), 'provider_unavailable', 'later'],
  [
    refusal(200, 'Failed to process successful response', { cause: new SyntaxError('x') }),
    'provider_bad_response',
    'later',
  ],
  [
    refusal(undefined, 'Cannot connect', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) }),
    'provider_unavailable',
    'later',
  ],
  [
    new LoadAPIKeyError({ message: 'Acme API key is missing. Set ACME_KEY.' }),
    'provider_authentication_failed',
    'never',
  ],
  [new NoSuchModelError({ modelId: 'm', modelType: 'languageModel' }), 'provider_model_not_found', 'never'],
  [new UnsupportedFunctionalityError({ functionality: 'zip files' }), 'model_unsupported_feature', 'never'],
  [new Error('AWS SigV4 authentication requires AWS credentials.'), 'provider_authentication_failed', 'never'],
  [new TypeError('x is not a function'), 'internal', 'never'],
  [null, 'internal', 'never'],
])('the error %s before a stream is %s', (error, code, retry) => {
  expect(classifyError(error, before)).toMatchObject({ code, retry: { kind: retry } });
});

test.each([
  [{ type: 'overloaded_error', message: 'Overloaded' }, 'provider_overloaded'],
  [{ message: 'Slowly.', statusCode: 429, isRetryable: true, data: {} }, 'provider_rate_limited'],
  [{ message: 'throttlingException: Slowly.' }, 'provider_rate_limited'],
  [{ error: { message: 'No.', type: 'invalid_request_error' } }, 'provider_invalid_request'],
  ['The server had an error', 'provider_unavailable'],
  [undefined, 'provider_unavailable'],
])('the error %j in a stream is %s', (error, code) => {
  expect(classifyError(new StreamFailed(error), within)).toMatchObject({ code });
});

test('a stream that breaks with an error of its package is unavailable', () => {
  expect(classifyError(new Error('Incomplete frame'), within).code).toBe('provider_unavailable');
});

test('a stream that its package cannot read is a bad response', () => {
  const failure = classifyError(new TypeError("Cannot read properties of undefined (reading 'delta')"), within);

  expect(failure).toMatchObject({ code: 'provider_bad_response', retry: { kind: 'later' } });
});

test('a refusal has the pause, the code and the text, but no options or keys', () => {
  const responseHeaders = {
    'retry-after': '7',
    'x-amzn-requestid': 'req_1',
    'x-amzn-errortype': 'ThrottlingException',
  };
  const message = 'a-secret-of-mine and-another-one token-of-the-environment at https://a.example in /usr/bin:/bin';

  const failure = classifyError(refusal(429, message, { responseHeaders }), before);

  expect(failure.retry).toEqual({ kind: 'rate-limited', afterMs: 7000 });
  expect(failure.provider).toEqual({ status: 429, code: 'ThrottlingException', request_id: 'req_1' });
  expect(failure.message).toContain('"[redacted] [redacted] [redacted] at https://a.example in /usr/bin:/bin"');
});

test('the error for a missing key names the setting', () => {
  const failure = classifyError(new LoadAPIKeyError({ message: 'Acme API key is missing. Set ACME_KEY.' }), before);

  expect(failure.message).toContain('Check PAWL_PROVIDERS.acme.options. acme says: "Acme API key is missing.');
});
