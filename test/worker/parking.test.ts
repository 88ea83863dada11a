import { expect, test } from 'vitest';
import { makeParking } from '#services/worker/parking.ts';

test('a provider is left alone for as long as it asked', () => {
  const parking = makeParking();

  expect(parking.park('openai', 7_000)).toBe(7_000);
  expect(parking.waitMs('openai')).toBeGreaterThan(6_000);
  expect(parking.waitMs('anthropic')).toBe(0);
  expect(parking.parked()).toEqual([{ provider: 'openai', forMs: expect.any(Number) }]);
});

test('one that names no time, or none to speak of, is left alone longer each time until a call succeeds', () => {
  const parking = makeParking();

  const pauses = [undefined, 0, undefined, undefined, undefined, 0].map((askedMs) => parking.park('openai', askedMs));
  parking.succeeded('openai');

  expect(pauses).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  expect(parking.park('openai', undefined)).toBe(5_000);
});

test('no pause is so short that asking again becomes a storm', () => {
  expect(makeParking().park('openai', 1)).toBe(1_000);
});
