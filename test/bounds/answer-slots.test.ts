import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { LARGE_ANSWERS, openAnswerSlot, startTimeout } from '#core/bounds/answer-slots.ts';

/** Opens and takes slots of a project for a server. `started` counts the granted slots. */
function takeSlots(count: number, project: string, server: string) {
  const slots = Array.from({ length: count }, () => openAnswerSlot(project));
  const seen = { started: 0 };
  for (const slot of slots) void slot.take(server).then(() => (seen.started += 1));
  const giveBack = () => {
    for (const slot of slots) slot[Symbol.dispose]();
  };
  return { seen, giveBack, [Symbol.dispose]: giveBack };
}

test('large answers of a server use half of the slots, and other servers the rest', async () => {
  using flood = takeSlots(LARGE_ANSWERS.slots * 2, 'alpha', 'flood');
  await nextTick();
  using other = takeSlots(1, 'alpha', 'other');
  await nextTick();

  expect(flood.seen.started).toBe(LARGE_ANSWERS.slotsOfServer);
  expect(other.seen.started).toBe(1);
});

test('waiting projects get released slots in turn', async () => {
  const [first, ...rest] = Array.from({ length: LARGE_ANSWERS.slotsOfServer }, () => openAnswerSlot('alpha'));
  for (const slot of [first!, ...rest]) await slot.take('one');
  using more = takeSlots(2, 'alpha', 'one');
  using other = takeSlots(1, 'beta', 'one');
  first![Symbol.dispose]();
  await nextTick();
  const afterFirst = more.seen.started + other.seen.started;
  for (const slot of rest) slot[Symbol.dispose]();
  more.giveBack();
  await nextTick();

  expect([afterFirst, other.seen.started]).toEqual([1, 1]);
});

test('a project leaves a slot to other projects, with any number of servers', async () => {
  using one = takeSlots(LARGE_ANSWERS.slots, 'alpha', 'one');
  using two = takeSlots(LARGE_ANSWERS.slots, 'alpha', 'two');
  using three = takeSlots(LARGE_ANSWERS.slots, 'alpha', 'three');
  using other = takeSlots(1, 'beta', 'four');
  await nextTick();

  expect(one.seen.started + two.seen.started + three.seen.started).toBe(LARGE_ANSWERS.slotsOfProject);
  expect(other.seen.started).toBe(1);
});

test('a finished call takes no slot', async () => {
  const over = openAnswerSlot('alpha');
  over[Symbol.dispose]();
  await over.take('one');
  using after = takeSlots(LARGE_ANSWERS.slotsOfServer, 'alpha', 'one');
  await nextTick();

  expect(after.seen.started).toBe(LARGE_ANSWERS.slotsOfServer);
});

test('an abandoned wait resolves, also among thousands of abandoned waits', async () => {
  using flood = takeSlots(LARGE_ANSWERS.slotsOfServer, 'alpha', 'one');
  const given = Array.from({ length: 10_000 }, () => openAnswerSlot('alpha'));
  const waits = given.map((slot) => slot.take('one'));
  for (const slot of given) slot[Symbol.dispose]();

  await Promise.all(waits);
  flood.giveBack();
  using next = takeSlots(1, 'alpha', 'one');
  await nextTick();

  expect(next.seen.started).toBe(1);
});

test('a slot that was abandoned during its wait is free for other calls', async () => {
  using flood = takeSlots(LARGE_ANSWERS.slots, 'alpha', 'one');
  const givenUp = takeSlots(3, 'alpha', 'one');
  givenUp.giveBack();
  flood.giveBack();
  await nextTick();
  using next = takeSlots(1, 'alpha', 'one');
  await nextTick();

  expect(next.seen.started).toBe(1);
});

test('an answer that does not arrive in its slot is ended, an arrived answer is not', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  using slow = openAnswerSlot('alpha');
  using whole = openAnswerSlot('beta');
  const ended: [string, string | undefined][] = [];
  startTimeout(3_600_000, slow, (why) => ended.push(['slow', why]));
  startTimeout(3_600_000, whole, (why) => ended.push(['whole', why]));

  for (const slot of [slow, whole]) await slot.take('one');
  vi.advanceTimersByTime(30_000);
  whole.arrived();
  await slow.take('one');
  vi.advanceTimersByTime(30_000);

  expect(ended).toEqual([['slow', 'needed more than 60 s for an answer of more than 256 KiB']]);
});

test('a timeout does not count the wait of an answer for its slot', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  using flood = takeSlots(LARGE_ANSWERS.slots, 'alpha', 'one');
  using slot = openAnswerSlot('beta');
  const onTimeout = vi.fn();
  startTimeout(1_000, slot, onTimeout);

  void slot.take('one');
  vi.advanceTimersByTime(1_500);
  const whileWaiting = onTimeout.mock.calls.length;
  flood.giveBack();
  vi.advanceTimersByTime(900);
  const withSlot = onTimeout.mock.calls.length;
  vi.advanceTimersByTime(1_100);

  startTimeout(1_000, slot, onTimeout);
  vi.advanceTimersByTime(1_000);

  expect([whileWaiting, withSlot, onTimeout.mock.calls.length]).toEqual([0, 0, 2]);
});
