import { expect, test } from 'vitest';
import { reasonToDisable } from '#core/webhooks/outcome.ts';

const HOUR = 3_600_000;
const retry = { kind: 'retry' as const, error: 'The receiver answered 500.' };

test('a delivered event never disables an endpoint, even after long failures', () => {
  expect(reasonToDisable({ kind: 'delivered' }, 500 * HOUR)).toBeNull();
});

test('a receiver that refuses further events disables its endpoint', () => {
  expect(reasonToDisable({ kind: 'stop', error: 'It said 410.' }, null)).toBe('It said 410.');
});

test.each([
  [null, null],
  [0, null],
  [119 * HOUR, null],
  [120 * HOUR, 'No delivery succeeded for 5 days. The last error: The receiver answered 500.'],
])('an endpoint with a failure after %s ms of failures is disabled: %s', (failingForMs, reason) => {
  expect(reasonToDisable(retry, failingForMs)).toBe(reason);
});
