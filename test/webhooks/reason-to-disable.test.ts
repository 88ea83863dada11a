import { expect, test } from 'vitest';
import { reasonToDisable } from '#core/webhooks/outcome.ts';

const HOUR = 3_600_000;
const retry = { kind: 'retry' as const, error: 'The receiver answered 500.' };

test('what came through is no reason, however long it failed before', () => {
  expect(reasonToDisable({ kind: 'delivered' }, 500 * HOUR)).toBeNull();
});

test('a receiver that wants no more is taken at its word', () => {
  expect(reasonToDisable({ kind: 'stop', error: 'It said 410.' }, null)).toBe('It said 410.');
});

test.each([
  [null, null],
  [0, null],
  [119 * HOUR, null],
  [120 * HOUR, 'Nothing came through for 5 days. In the end: The receiver answered 500.'],
])('a failure after %s ms of failures: %s', (failingForMs, reason) => {
  expect(reasonToDisable(retry, failingForMs)).toBe(reason);
});
