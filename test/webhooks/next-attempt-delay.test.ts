import { expect, test } from 'vitest';
import { retryDelayMs } from '#core/webhooks/retry-delay.ts';

const seconds = [5, 30, 120, 600, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

test('a delivery has twelve attempts', () => {
  const delays = Array.from({ length: 12 }, (_, index) => retryDelayMs(index + 1, () => 0.5));

  expect(delays).toEqual([...seconds.map((delay) => delay * 1_000), null]);
});

test('jitter stays within a tenth of the delay in both directions', () => {
  const shortest = retryDelayMs(2, () => 0);
  const longest = retryDelayMs(2, () => 0.999_999);

  expect(shortest).toBe(27_000);
  expect(longest).toBe(33_000);
});

test('deliveries that failed together are retried at different times', () => {
  const delays = new Set(Array.from({ length: 100 }, () => retryDelayMs(5)));

  expect(delays.size).toBeGreaterThan(50);
});
