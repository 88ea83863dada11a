import { expect, test } from 'vitest';
import { quoteProvider } from '#core/llm/errors/name-failure.ts';

test.each([
  'Incorrect API key provided: sk-proj-abcDEF***xyz.',
  'you sent Bearer abc.def-ghi',
  'xai-0123456789 is no key',
  'AIzaSyA1234567890abcdef is blocked',
  'GET https://host/v1?key=abc123&alt=sse failed',
  'the key my-own-key-1 is unknown',
  'token ya29.a0abcdefghijklmn is no token',
  'the session eyJhbGciOiabc.eyJzdWIiOiabc.abc_def has ended',
  'AKIA0123456789ABCDEF may not do that',
  'gho_abc0123456789 has no access',
  'Authorization: Basic YWJjOmFiYw==abc',
  'Incorrect API key provided: 0123456789abcdef0123456789abcdef',
  'x-api-key: 0123456789abcdef',
  'Received: Key Hash (Token) =0123456789abcdef0123456789abcdef',
])('a quotation hides all keys: %s', (text) => {
  const quoted = quoteProvider(text, { apiKey: 'my-own-key-1' });

  expect(quoted).toContain('[redacted]');
  expect(quoted).not.toMatch(/abc|0123456789|AIza|my-own-key/);
});

test('a quotation keeps words that only resemble keys', () => {
  const text =
    'Use max_completion_tokens for task-based models; the risk-score of desk-42 is 3. The key is wrong; tokens: 123456.';

  expect(quoteProvider(text)).toBe(text);
});

test('a quotation has at most 500 characters on one line, without NUL', () => {
  expect(quoteProvider('x'.repeat(600))).toHaveLength(500);
  expect(quoteProvider('a\n\n  b\u0000')).toBe('a b\ufffd');
  expect(quoteProvider('👋'.repeat(300)).isWellFormed()).toBe(true);
});
