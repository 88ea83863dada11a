import { expect, test } from 'vitest';
import { LONGEST_BATCH_MS, nextPollMs, refusedPauseMs } from '#core/turn/batches/next-poll.ts';

test('polls of a batch grow from 10 seconds to 5 minutes', () => {
  expect([0, 1, 2, 9, 1_000].map(nextPollMs)).toEqual([10_000, 15_000, 22_500, 300_000, 300_000]);
});

test('pauses after a refused batch grow from one minute to thirty minutes', () => {
  const longest = [1, 2, 3, 5, 6, 1_000].map((refusals) => refusedPauseMs(refusals, 0, () => 1));
  const shortest = [1, 2, 3, 1_000].map((refusals) => refusedPauseMs(refusals, 0, () => 0));

  expect(longest).toEqual([1, 2, 4, 16, 30, 30].map((minutes) => minutes * 60_000));
  expect(shortest).toEqual([1, 1, 2, 15].map((minutes) => minutes * 60_000));
});

test('a provider may ask for a longer pause, up to thirty minutes', () => {
  expect(refusedPauseMs(1, 300_000, () => 1)).toBe(300_000);
  expect(refusedPauseMs(1, 7_200_000, () => 1)).toBe(1_800_000);
});

test('a batch is given up after two days', () => {
  expect(LONGEST_BATCH_MS).toBe(48 * 3_600_000);
});
