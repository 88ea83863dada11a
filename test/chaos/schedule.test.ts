import fc from 'fast-check';
import { expect, test } from 'vitest';
import { faultKinds, isOnce, kindsFor } from '../../chaos/fault-kinds.ts';
import { planTurns } from '../../chaos/load/plan-turns.ts';
import { makeSchedule } from '../../chaos/schedule.ts';

const wish = fc.record({
  seed: fc.nat({ max: 1_000_000 }),
  faults: fc.integer({ min: 0, max: 250 }),
  seconds: fc.integer({ min: 5, max: 600 }),
  kinds: fc.constantFrom(kindsFor('redis'), kindsFor('postgres')),
});
const urls = { toolUrl: 'http://127.0.0.1:1', hookUrl: 'http://127.0.0.1:2/hook' };

test('a seed reproduces its schedule and its turns', () => {
  fc.assert(
    fc.property(wish, (wanted) => {
      const strikes = makeSchedule(wanted);
      const again = makeSchedule(wanted);
      const plan = () => planTurns({ ...wanted, turns: 30, strikes, ...urls });

      expect(again).toEqual(strikes);
      expect(plan()).toEqual(plan());
    }),
  );
});

test('another seed makes another schedule', () => {
  const make = (seed: number) => makeSchedule({ seed, faults: 60, seconds: 120, kinds: kindsFor('redis') });

  expect(make(1)).not.toEqual(make(2));
});

test('faults come in order, within the time, each as long as its kind may last, and every kind before any comes again', () => {
  fc.assert(
    fc.property(wish, (wanted) => {
      const strikes = makeSchedule(wanted);

      const times = strikes.map(({ atMs }) => atMs);
      const often = wanted.kinds.filter((kind) => !isOnce(kind));
      const counts = often.map((kind) => strikes.filter((strike) => strike.kind === kind).length);
      expect(strikes).toHaveLength(wanted.faults);
      expect(times).toEqual(times.toSorted((one, other) => one - other));
      expect(times.every((atMs) => atMs >= 0 && atMs <= wanted.seconds * 1_000)).toBe(true);
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
      for (const { kind, lastsMs } of strikes) {
        const [least, most] = faultKinds[kind].lastsMs;
        expect(lastsMs).toBeGreaterThanOrEqual(least);
        expect(lastsMs).toBeLessThanOrEqual(most);
      }
    }),
  );
});

test('a kind that a run has once at most comes once at most, and a run of nothing else is short', () => {
  const long = makeSchedule({ seed: 7, faults: 250, seconds: 300, kinds: kindsFor('redis') });
  const short = makeSchedule({ seed: 7, faults: 20, seconds: 30, kinds: ['poison-turn'] });

  expect(long.filter(({ kind }) => kind === 'poison-turn')).toHaveLength(1);
  expect(short.map(({ kind }) => kind)).toEqual(['poison-turn']);
});

test('a queue on Postgres is spared the faults of Redis, and has all others', () => {
  const spared = kindsFor('redis').filter((kind) => !kindsFor('postgres').includes(kind));

  expect(spared.every((kind) => kind.startsWith('redis-'))).toBe(true);
  expect(spared.length).toBeGreaterThan(0);
});

test('every trouble of a model is carried by a turn that is posted after it struck', () => {
  const kinds = kindsFor('redis').filter((kind) => kind.startsWith('provider-'));
  const strikes = makeSchedule({ seed: 5, faults: 12, seconds: 60, kinds });

  const plans = planTurns({ seed: 5, turns: 300, seconds: 60, strikes, ...urls });

  for (const { number, atMs, kind } of strikes) {
    const carriers = plans.filter(({ struckBy }) => struckBy === number);
    expect(carriers.map(({ trouble }) => trouble)).toEqual([kind, kind, kind]);
    expect(carriers.every((plan) => plan.atMs >= atMs)).toBe(true);
  }
});
