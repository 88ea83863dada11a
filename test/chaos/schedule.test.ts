import fc from 'fast-check';
import { expect, test } from 'vitest';
import { faultKinds, isOnce, kindsFor } from './faults/fault-kinds.ts';
import { makeSchedule } from './faults/schedule.ts';
import { planTurns } from './load/plan-turns.ts';

const options = fc.record({
  seed: fc.nat({ max: 1_000_000 }),
  faults: fc.integer({ min: 0, max: 250 }),
  seconds: fc.integer({ min: 5, max: 600 }),
  kinds: fc.constantFrom(kindsFor('redis'), kindsFor('postgres')),
});
const urls = { toolUrl: 'http://127.0.0.1:1', hookUrl: 'http://127.0.0.1:2/hook' };

test('a seed reproduces its schedule and its turns', () => {
  fc.assert(
    fc.property(options, (given) => {
      const schedule = makeSchedule(given);
      const again = makeSchedule(given);
      const plan = () => planTurns({ ...given, turns: 30, schedule, ...urls });

      expect(again).toEqual(schedule);
      expect(plan()).toEqual(plan());
    }),
  );
});

test('two seeds make different schedules', () => {
  const make = (seed: number) => makeSchedule({ seed, faults: 60, seconds: 120, kinds: kindsFor('redis') });

  expect(make(1)).not.toEqual(make(2));
});

test("faults are in order, within their kind's duration, and spread evenly over kinds", () => {
  fc.assert(
    fc.property(options, (given) => {
      const schedule = makeSchedule(given);

      const times = schedule.map(({ atMs }) => atMs);
      const often = given.kinds.filter((kind) => !isOnce(kind));
      const counts = often.map((kind) => schedule.filter((fault) => fault.kind === kind).length);
      expect(schedule).toHaveLength(given.faults);
      expect(times).toEqual(times.toSorted((one, other) => one - other));
      expect(times.every((atMs) => atMs >= 0 && atMs <= given.seconds * 1_000)).toBe(true);
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
      for (const { kind, lastsMs } of schedule) {
        const [least, most] = faultKinds[kind].lastsMs;
        expect(lastsMs).toBeGreaterThanOrEqual(least);
        expect(lastsMs).toBeLessThanOrEqual(most);
      }
    }),
  );
});

test('a kind that is limited to once per run occurs once', () => {
  const long = makeSchedule({ seed: 7, faults: 250, seconds: 300, kinds: kindsFor('redis') });
  const short = makeSchedule({ seed: 7, faults: 20, seconds: 30, kinds: ['poison-turn'] });

  expect(long.filter(({ kind }) => kind === 'poison-turn')).toHaveLength(1);
  expect(short.map(({ kind }) => kind)).toEqual(['poison-turn']);
});

test('a run with its queue on Postgres has all faults except those of Redis', () => {
  const left = kindsFor('redis').filter((kind) => !kindsFor('postgres').includes(kind));

  expect(left.every((kind) => kind.startsWith('redis-'))).toBe(true);
  expect(left.length).toBeGreaterThan(0);
});

test('turns that are posted after a trouble of a model carry it', () => {
  const kinds = kindsFor('redis').filter((kind) => kind.startsWith('provider-'));
  const schedule = makeSchedule({ seed: 5, faults: 12, seconds: 60, kinds });

  const plans = planTurns({ seed: 5, turns: 300, seconds: 60, schedule, ...urls });

  for (const { number, atMs, kind } of schedule) {
    const carriers = plans.filter(({ faultedBy }) => faultedBy === number);
    expect(carriers.map(({ trouble }) => trouble)).toEqual([kind, kind, kind]);
    expect(carriers.every((plan) => plan.atMs >= atMs)).toBe(true);
  }
});
