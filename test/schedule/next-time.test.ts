import { expect, test } from 'vitest';
import { isTimeZone } from '#core/schedule/local-time.ts';
import { decideFiring, lastTime, nextTimes } from '#core/schedule/next-time.ts';
import type { Plan } from '#core/turn/schedule/schedule.ts';

const cron = (expression: string, timeZone = 'UTC'): Plan => ({ kind: 'cron', cron: expression, timeZone });
const ms = (time: string) => Date.parse(time);
const times = (plan: Plan, after: string, count: number) =>
  nextTimes(plan, ms(after), count).map((at) => new Date(at).toISOString().replace('.000Z', 'Z'));

test('a cron expression follows the clock and the weekdays of its time zone', () => {
  expect(times(cron('0 9 * * 1-5', 'Europe/Zurich'), '2026-11-20T07:59:59.999Z', 3)).toEqual([
    ...['2026-11-20T08:00:00Z', '2026-11-23T08:00:00Z', '2026-11-24T08:00:00Z'],
  ]);
  expect(times(cron('30 0 * * MON', 'Asia/Kolkata'), '2026-11-20T00:00:00Z', 1)).toEqual(['2026-11-22T19:00:00Z']);
  expect(times(cron('0 0 1,15 * 5'), '2026-11-20T12:00:00Z', 2)).toEqual([
    '2026-11-27T00:00:00Z',
    '2026-12-01T00:00:00Z',
  ]);
});

test.each([
  ['Europe/Zurich', '30 2 * * *', '2026-03-28T12:00:00Z', ['2026-03-29T01:00:00Z', '2026-03-30T00:30:00Z']],
  ['Europe/Zurich', '*/20 2,3 * * *', '2026-03-28T23:00:00Z', ['2026-03-29T01:00:00Z', '2026-03-29T01:20:00Z']],
  ['America/New_York', '15 2 * * *', '2026-03-07T12:00:00Z', ['2026-03-08T07:00:00Z', '2026-03-09T06:15:00Z']],
  ['Australia/Lord_Howe', '10 2 * * *', '2026-10-03T00:00:00Z', ['2026-10-03T15:30:00Z', '2026-10-04T15:10:00Z']],
])('in %s a time of %s that the clock skips fires once, at the jump', (zone, expression, after, expected) => {
  expect(times(cron(expression, zone), after, 2)).toEqual(expected);
});

test.each([
  ['Europe/Zurich', '30 2 * * *', '2026-10-24T12:00:00Z', ['2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z']],
  ['America/New_York', '30 1 * * *', '2026-10-31T12:00:00Z', ['2026-11-01T05:30:00Z', '2026-11-02T06:30:00Z']],
  ['Europe/Zurich', '15 2 * * *', '2026-10-25T01:05:00Z', ['2026-10-26T01:15:00Z']],
])('in %s the repeated local time of %s fires the first time only', (zone, expression, after, expected) => {
  expect(times(cron(expression, zone), after, expected.length)).toEqual(expected);
});

test('an interval in seconds is counted from its start, to the millisecond', () => {
  const plan: Plan = { kind: 'every', everySeconds: 90, since: ms('2026-11-20T10:00:00.250Z') };

  expect(nextTimes(plan, plan.since, 2).map((at) => at - plan.since)).toEqual([90_000, 180_000]);
  expect(nextTimes(plan, plan.since + 90_000, 1).map((at) => at - plan.since)).toEqual([180_000]);
});

test('the last time before a moment is found even years after the last firing', () => {
  const from = ms('2016-02-29T00:00:00Z');
  const before = ms('2026-11-20T10:00:30Z');

  const found = ['* * * * *', '0 4 * * *', '0 0 29 2 *'].map((expression) =>
    new Date(lastTime(cron(expression), { from, before })).toISOString(),
  );

  expect(found).toEqual(['2026-11-20T10:00:00.000Z', '2026-11-20T04:00:00.000Z', '2024-02-29T00:00:00.000Z']);
});

test('times more than 10 s late are missed, and `once` fires for the newest', () => {
  const plan: Plan = { kind: 'every', everySeconds: 4, since: 0 };
  const decide = (ifMissed: 'once' | 'skip', now: number, nextAt = 4_000) =>
    decideFiring(plan, { nextAt, now, ifMissed });

  expect(decide('once', 14_000)).toEqual({ plannedAt: 4_000, nextAt: 8_000 });
  expect(decide('skip', 14_000)).toEqual({ plannedAt: 4_000, nextAt: 8_000 });
  expect(decide('once', 30_000)).toEqual({ plannedAt: 16_000, nextAt: 20_000 });
  expect(decide('skip', 30_000)).toEqual({ plannedAt: null, nextAt: 20_000 });
  expect(decide('once', 14_001)).toEqual({ plannedAt: 4_000, nextAt: 8_000 });
});

test('only time zones of the platform are valid', () => {
  expect(['UTC', 'Europe/Zurich', 'Mars/Olympus', ''].map(isTimeZone)).toEqual([true, true, false, false]);
});
