import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { LARGE_ANSWERS, openAnswerPlace, startTimeout } from '#core/bounds/answer-places.ts';

/** Opens and takes slots of a project for a server. `started` counts the granted slots. */
function takePlaces(count: number, project: string, server: string) {
  const places = Array.from({ length: count }, () => openAnswerPlace(project));
  const seen = { started: 0 };
  for (const place of places) void place.take(server).then(() => (seen.started += 1));
  const giveBack = () => {
    for (const place of places) place[Symbol.dispose]();
  };
  return { seen, giveBack, [Symbol.dispose]: giveBack };
}

test('large answers of a server use half of the slots, and other servers the rest', async () => {
  using flood = takePlaces(LARGE_ANSWERS.places * 2, 'alpha', 'flood');
  await nextTick();
  using other = takePlaces(1, 'alpha', 'other');
  await nextTick();

  expect(flood.seen.started).toBe(LARGE_ANSWERS.placesOfServer);
  expect(other.seen.started).toBe(1);
});

test('waiting projects get released slots in turn', async () => {
  const [first, ...rest] = Array.from({ length: LARGE_ANSWERS.placesOfServer }, () => openAnswerPlace('alpha'));
  for (const place of [first!, ...rest]) await place.take('one');
  using more = takePlaces(2, 'alpha', 'one');
  using other = takePlaces(1, 'beta', 'one');
  first![Symbol.dispose]();
  await nextTick();
  const afterFirst = more.seen.started + other.seen.started;
  for (const place of rest) place[Symbol.dispose]();
  more.giveBack();
  await nextTick();

  expect([afterFirst, other.seen.started]).toEqual([1, 1]);
});

test('a project leaves a slot to other projects, with any number of servers', async () => {
  using one = takePlaces(LARGE_ANSWERS.places, 'alpha', 'one');
  using two = takePlaces(LARGE_ANSWERS.places, 'alpha', 'two');
  using three = takePlaces(LARGE_ANSWERS.places, 'alpha', 'three');
  using other = takePlaces(1, 'beta', 'four');
  await nextTick();

  expect(one.seen.started + two.seen.started + three.seen.started).toBe(LARGE_ANSWERS.placesOfProject);
  expect(other.seen.started).toBe(1);
});

test('a finished call takes no slot', async () => {
  const over = openAnswerPlace('alpha');
  over[Symbol.dispose]();
  await over.take('one');
  using after = takePlaces(LARGE_ANSWERS.placesOfServer, 'alpha', 'one');
  await nextTick();

  expect(after.seen.started).toBe(LARGE_ANSWERS.placesOfServer);
});

test('an abandoned wait resolves, also among thousands of abandoned waits', async () => {
  using flood = takePlaces(LARGE_ANSWERS.placesOfServer, 'alpha', 'one');
  const given = Array.from({ length: 10_000 }, () => openAnswerPlace('alpha'));
  const waits = given.map((place) => place.take('one'));
  for (const place of given) place[Symbol.dispose]();

  await Promise.all(waits);
  flood.giveBack();
  using next = takePlaces(1, 'alpha', 'one');
  await nextTick();

  expect(next.seen.started).toBe(1);
});

test('a slot that was abandoned during its wait is free for other calls', async () => {
  using flood = takePlaces(LARGE_ANSWERS.places, 'alpha', 'one');
  const givenUp = takePlaces(3, 'alpha', 'one');
  givenUp.giveBack();
  flood.giveBack();
  await nextTick();
  using next = takePlaces(1, 'alpha', 'one');
  await nextTick();

  expect(next.seen.started).toBe(1);
});

test('an answer that does not arrive in its slot is ended, an arrived answer is not', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  using slow = openAnswerPlace('alpha');
  using whole = openAnswerPlace('beta');
  const ended: [string, string | undefined][] = [];
  startTimeout(3_600_000, slow, (why) => ended.push(['slow', why]));
  startTimeout(3_600_000, whole, (why) => ended.push(['whole', why]));

  for (const place of [slow, whole]) await place.take('one');
  vi.advanceTimersByTime(30_000);
  whole.arrived();
  await slow.take('one');
  vi.advanceTimersByTime(30_000);

  expect(ended).toEqual([['slow', 'needed more than 60 s for an answer of more than 256 KiB']]);
});

test('a timeout does not count the wait of an answer for its slot', async () => {
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

  startTimeout(1_000, place, onTimeout);
  vi.advanceTimersByTime(1_000);

  expect([whileWaiting, withPlace, onTimeout.mock.calls.length]).toEqual([0, 0, 2]);
});
