import fc from 'fast-check';
import { expect, test } from 'vitest';
import { localTime } from '#core/schedule/local-time.ts';
import { decideFiring, lastTime, nextTime, nextTimes } from '#core/schedule/next-time.ts';
import type { Plan } from '#core/turn/schedule/schedule.ts';

type CronPlan = Extract<Plan, { kind: 'cron' }>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const cron = (expression: string, timeZone: string): CronPlan => ({ kind: 'cron', cron: expression, timeZone });

/** The moments when clocks go back, each with the number of minutes. */
const jumps = [
  { zone: 'Europe/Zurich', at: '2027-10-31T01:00:00Z', minutes: 60 },
  { zone: 'Europe/London', at: '2027-10-31T01:00:00Z', minutes: 60 },
  { zone: 'America/New_York', at: '2027-11-07T06:00:00Z', minutes: 60 },
  { zone: 'America/St_Johns', at: '2027-11-07T04:30:00Z', minutes: 60 },
  { zone: 'Atlantic/Azores', at: '2027-10-31T01:00:00Z', minutes: 60 },
  { zone: 'Pacific/Chatham', at: '2027-04-03T14:00:00Z', minutes: 60 },
  { zone: 'Australia/Lord_Howe', at: '2027-04-03T15:00:00Z', minutes: 30 },
  { zone: 'Antarctica/Troll', at: '2027-10-31T01:00:00Z', minutes: 120 },
].map((jump) => ({ ...jump, at: Date.parse(jump.at) }));

test.each([
  ['Europe/Zurich', '*/30 2-3 31 10 *', '2027-10-30T12:00Z', ['00:00', '00:30', '01:00', '01:30', '02:00', '02:30']],
  ['Europe/Zurich', '0 * * * *', '2027-10-30T23:30Z', ['00:00', '01:00', '02:00']],
  ['Europe/Zurich', '0,30 * * * *', '2027-10-31T00:10Z', ['00:30', '01:00', '01:30', '02:00']],
  ['Europe/Zurich', '30 */2 * * *', '2027-10-30T23:30Z', ['00:30', '01:30', '03:30']],
  ['Europe/Zurich', '? 2 * * *', '2027-10-31T00:58Z', ['00:59', '01:00', '01:01']],
  ['Europe/Zurich', '*/20,5 2 * * *', '2027-10-31T00:30Z', ['00:40', '01:00', '01:05', '01:20']],
  ['Australia/Lord_Howe', '*/15 * * * *', '2027-04-03T14:30Z', ['14:45', '15:00', '15:15', '15:30', '15:45']],
  ['Australia/Lord_Howe', '40 * * * *', '2027-04-03T14:30Z', ['14:40', '15:10', '16:10']],
])('in %s the wildcard plan %s also fires in the repeated time', (zone, expression, after, expected) => {
  const times = nextTimes(cron(expression, zone), Date.parse(after), expected.length);

  expect(times.map((at) => new Date(at).toISOString().slice(11, 16))).toEqual(expected);
});

test.each([
  ['0,30 2 * * *', ['00:00', '00:30']],
  ['15-45/15 2 * * *', ['00:15', '00:30', '00:45']],
  ['0-59/30 2-3 * * *', ['00:00', '00:30', '02:00', '02:30']],
  ['30 2 * * *', ['00:30']],
  ['30 1-3 31 10 *', ['23:30', '00:30', '02:30']],
])('the plan %s of fixed times skips the repeated time', (expression, expected) => {
  const times = nextTimes(cron(expression, 'Europe/Zurich'), Date.parse('2027-10-30T12:00Z'), expected.length);

  expect(times.map((at) => new Date(at).toISOString().slice(11, 16))).toEqual(expected);
});

const minute = fc.oneof(
  fc.constantFrom('*', '0', '30', '0,30', '5,20,59', '0-10', '2-58/2', '*/7'),
  fc.integer({ min: 1, max: 59 }).map((step) => `*/${step}`),
  fc.integer({ min: 0, max: 59 }).map(String),
);
const hour = fc.constantFrom('*', '*/2', '*/3', '1', '2', '1-3', '0,2', '1-3/2', '23,0-4');
const someJump = fc.constantFrom(...jumps);

/** Returns every minute at which the clock shows a planned time. Tests each minute. */
function shownTimes({ cron: expression, timeZone }: CronPlan, from: number, to: number): number[] {
  const planned = new Set(walk(cron(expression, 'UTC'), from - DAY_MS, to + DAY_MS));
  const minutes = Array.from({ length: (to - from) / MINUTE_MS - 1 }, (_, index) => from + (index + 1) * MINUTE_MS);
  return minutes.filter((at) => planned.has(localTime(timeZone, at)));
}

const walk = (plan: Plan, from: number, to: number) => {
  const times: number[] = [];
  for (let at = nextTime(plan, from); at !== null && at < to; at = nextTime(plan, at)) times.push(at);
  return times;
};

test('a plan fires at every shown time, and a fixed time the first time only', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(someJump, minute, hour, (jump, minutes, hours) => {
      const plan = cron(`${minutes} ${hours} * * *`, jump.zone);
      const [from, to] = [jump.at - 4 * HOUR_MS, jump.at + 5 * HOUR_MS];

      const shown = shownTimes(plan, from, to);
      const again = (at: number) => at >= jump.at && at < jump.at + jump.minutes * MINUTE_MS;
      const isWildcard = `${minutes} ${hours}`.includes('*');

      expect(walk(plan, from, to)).toEqual(isWildcard ? shown : shown.filter((at) => !again(at)));
    }),
    { numRuns: 100 },
  );
});

test('a plan of equal intervals keeps its intervals when clocks go back', { timeout: 60_000 }, () => {
  const interval = fc.constantFrom(1, 2, 3, 5, 6, 10, 15, 30);
  fc.assert(
    fc.property(someJump, interval, (jump, minutes) => {
      const plan = cron(`*/${minutes} * * * *`, jump.zone);
      const times = walk(plan, jump.at - 3 * HOUR_MS, jump.at + 3 * HOUR_MS);

      const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at));

      expect(new Set(gaps)).toEqual(new Set([minutes * MINUTE_MS]));
    }),
  );
});

test('the next time depends on no earlier call and agrees with the missed times', { timeout: 60_000 }, () => {
  const offset = fc.integer({ min: -4 * HOUR_MS, max: 4 * HOUR_MS });
  fc.assert(
    fc.property(someJump, minute, hour, offset, (jump, minutes, hours, offsetMs) => {
      const plan = cron(`${minutes} ${hours} * * *`, jump.zone);
      const times = walk(plan, jump.at - 30 * HOUR_MS, jump.at + 30 * HOUR_MS);
      const now = jump.at + offsetMs;
      const due = times[0] ?? 0;

      const missed = times.filter((at) => at < now - 10_000);
      const decision = decideFiring(plan, { nextAt: due, now, ifMissed: 'once' });

      expect(nextTime(plan, now)).toBe(times.find((at) => at > now) ?? nextTime(plan, now));
      expect(lastTime(plan, { from: due, before: now })).toBe(times.findLast((at) => at < now) ?? due);
      expect(decision.plannedAt).toBe(missed.at(-1) ?? due);
      expect(decision.nextAt).toBe(times.find((at) => at > (missed.at(-1) ?? due)));
    }),
    { numRuns: 100 },
  );
});
