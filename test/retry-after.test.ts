import { expect, test } from 'vitest';
import { retryAfterMs } from '#core/retry-after.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

test.each([
  [{ 'retry-after': '3' }, 3000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT' }, 9000],
  [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
  [{ 'retry-after-ms': '120', 'retry-after': '3' }, 120],
  [{ 'retry-after': '99999999999' }, 86_400_000],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '-1' }, 0],
  [{}, undefined],
])('headers %j request a wait of %s ms', (headers, expected) => {
  expect(retryAfterMs(new Headers(headers as Record<string, string>), now)).toBe(expected);
});

test('absent headers request no wait', () => {
  expect(retryAfterMs(undefined)).toBeUndefined();
});
