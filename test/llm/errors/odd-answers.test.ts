import { expect, test } from 'vitest';
import { errorInAnswer } from '#core/llm/errors/error-in-answer.ts';

test.each([
  { type: 'heartbeat', message: 'still here' },
  { type: 'status', message: 'Model is loading' },
  { event: 'progress', message: 'step 2' },
])('a value is no error if its kind shows that the server works on: %j', (value) => {
  expect(errorInAnswer(value)).toBeUndefined();
});

test('a message is no error if the name of its event shows that the server works on', () => {
  expect(errorInAnswer({ message: 'Model is loading' }, 'info')).toBeUndefined();
});

test.each([
  { type: 'ping', error: 'the upstream is gone' },
  { type: 'error', message: 'the status is unknown' },
  { status: 'failed', event: 'progress', message: 'no' },
])('a value is an error if it tells of one, whatever its kind: %j', (value) => {
  expect(errorInAnswer(value)).toBe(value);
});
