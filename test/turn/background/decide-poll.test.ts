import { expect, test } from 'vitest';
import { decidePoll } from '#core/turn/background/decide-poll.ts';

const times = { queuedMs: 600_000, timeoutMs: 14_400_000 };
const running = { isQueued: false, pollAfterMs: null };

test('the time between two polls grows from one second to ten', () => {
  const delays = [0, 1, 2, 5, 6, 100].map((polls) => decidePoll({ polls, ageMs: 0 }, running, times));

  expect(delays.map((each) => each.kind === 'poll' && each.delayMs)).toEqual([1000, 1500, 2250, 7594, 10_000, 10_000]);
});

test.for([
  [30_000, 30_000],
  [1, 100],
  [86_400_000, 3_600_000],
] as const)('a provider that wants to be asked in %i ms is asked in %i ms', ([pollAfterMs, delayMs]) => {
  expect(decidePoll({ polls: 0, ageMs: 0 }, { isQueued: false, pollAfterMs }, times)).toEqual({
    kind: 'poll',
    delayMs,
  });
});

test('no poll is later than the longest time of the response', () => {
  const slow = { isQueued: true, pollAfterMs: 60_000 };

  expect(decidePoll({ polls: 0, ageMs: 590_000 }, slow, times)).toEqual({ kind: 'poll', delayMs: 10_000 });
  expect(decidePoll({ polls: 0, ageMs: 600_000 }, slow, times)).toMatchObject({ kind: 'ask-again' });
  expect(decidePoll({ polls: 0, ageMs: 600_000 }, running, times)).toMatchObject({ kind: 'poll' });
  expect(decidePoll({ polls: 0, ageMs: 14_400_000 }, running, times)).toMatchObject({ kind: 'ask-again' });
});
