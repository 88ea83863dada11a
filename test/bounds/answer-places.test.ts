import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { LARGE_ANSWERS, openAnswerPlace, startTimeout } from '#core/bounds/answer-places.ts';

/** Opens places of a project for a server and takes them; `started` counts those that were given. */
function takePlaces(count: number, project: string, server: string) {
  const places = Array.from({ length: count }, () => openAnswerPlace(project));
  const seen = { started: 0 };
  for (const place of places) void place.take(server).then(() => (seen.started += 1));
  const giveBack = () => {
    for (const place of places) place[Symbol.dispose]();
  };
  return { seen, giveBack, [Symbol.dispose]: giveBack };
}

test('large answers of one server have half of the places, and the rest is for other servers', async () => {
  using flood = takePlaces(LARGE_ANSWERS.places * 2, 'alpha', 'flood');
  await nextTick();
  using other = takePlaces(1, 'alpha', 'other');
  await nextTick();

  expect(flood.seen.started).toBe(Math.ceil(LARGE_ANSWERS.places / 2));
  expect(other.seen.started).toBe(1);
});

test('a place that is given back goes to the project that waits, before the second of another', async () => {
  using flood = takePlaces(LARGE_ANSWERS.places, 'alpha', 'one');
  using waiting = takePlaces(2, 'beta', 'one');
  await nextTick();
  const before = waiting.seen.started;
  flood.giveBack();
  await nextTick();

  expect([before, waiting.seen.started]).toEqual([0, 2]);
});

test('a place that was given up while it waited is free for others', async () => {
  using flood = takePlaces(LARGE_ANSWERS.places, 'alpha', 'one');
  const givenUp = takePlaces(3, 'alpha', 'one');
  givenUp.giveBack();
  flood.giveBack();
  await nextTick();
  using next = takePlaces(1, 'alpha', 'one');
  await nextTick();

  expect(next.seen.started).toBe(1);
});

test('a timeout does not count the time in which an answer waits for its place', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  using flood = takePlaces(LARGE_ANSWERS.places, 'alpha', 'one');
  using place = openAnswerPlace('beta');
  const onTimeout = vi.fn();
  startTimeout(1_000, place, onTimeout);

  void place.take('one');
  vi.advanceTimersByTime(1_500);
  const whileWaiting = onTimeout.mock.calls.length;
  flood.giveBack();
  vi.advanceTimersByTime(900);
  const withPlace = onTimeout.mock.calls.length;
  vi.advanceTimersByTime(1_100);

  expect([whileWaiting, withPlace, onTimeout.mock.calls.length]).toEqual([0, 0, 1]);
});
