import { expect, test } from 'vitest';
import type { RateLimitChange } from '#core/pubsub/pubsub.ts';
import { makeRateLimits, type RateLimits } from '#services/worker/rate-limits.ts';

const MODEL = 'openai/test';

test('a limited model gets no request as long as its provider asks, 1 s to 1 min', () => {
  const { limits, clock } = limitsAt(0);

  limits.refused('openai/a', 7_000);
  limits.refused('openai/b', 1);
  limits.refused('openai/c', 86_400_000);

  expect(limits.limited().map(({ forMs }) => forMs)).toEqual([7_000, 1_000, 60_000]);
  clock.now = 60_000;
  expect(limits.limited()).toEqual([]);
});

test('the pause of a limit without a time grows until a call succeeds', () => {
  const { limits, clock } = limitsAt(0);
  const pauses = Array.from({ length: 6 }, () => {
    limits.refused(MODEL, undefined);
    const [{ forMs } = { forMs: 0 }] = limits.limited();
    clock.now += forMs;
    return forMs;
  });

  limits.acquire(MODEL).answered();
  limits.refused(MODEL, undefined);

  expect(pauses).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  expect(limits.limited()).toEqual([{ name: MODEL, forMs: 5_000, counts: false }]);
});

test('refusals of requests from before the limit do not extend its pause', () => {
  const { limits } = limitsAt(0);

  for (const _ of Array(50)) limits.refused(MODEL, undefined);

  expect(limits.limited()).toEqual([{ name: MODEL, forMs: 5_000, counts: false }]);
});

test('a request from before the limit does not end it', () => {
  const { limits } = limitsAt(0);
  const before = limits.acquire(MODEL);

  limits.refused(MODEL, 5_000);
  before.answered();

  expect(limits.allows(MODEL)).toBe(false);
});

test('a probe without an answer, or a hanging probe, lets the next probe start', () => {
  const { limits, clock } = limitsAt(0);
  limits.refused(MODEL, 1_000);
  clock.now = 1_000;

  const first = limits.acquire(MODEL);
  const during = limits.allows(MODEL);
  first[Symbol.dispose]();
  const afterwards = limits.allows(MODEL);
  limits.acquire(MODEL);
  clock.now = 31_000;

  expect([during, afterwards, limits.allows(MODEL)]).toEqual([false, true, true]);
});

test('a turn that waits for a probe returns in 500 ms, or later for a slow probe', () => {
  const { limits, clock } = limitsAt(0);
  limits.refused(MODEL, 1_000);
  clock.now = 1_000;

  limits.acquire(MODEL);
  const atOnce = limits.waitMs(MODEL);
  clock.now = 21_000;

  expect([atOnce, limits.waitMs(MODEL)]).toEqual([500, 20_000]);
});

test('a probe of another worker delays turns only while that worker publishes it', () => {
  const clock = { now: 0 };
  const published: RateLimitChange[] = [];
  const publishToWorkers = (message: unknown) => void published.push(message as RateLimitChange);
  const [one, other] = [makeRateLimits({ publishToWorkers }, () => clock.now), limitsAt(0)];
  const at = (ms: number) => {
    clock.now = ms;
    other.clock.now = ms;
    for (const message of published.splice(0)) other.limits.receive(message);
  };

  one.refused(MODEL, 1_000);
  at(1_000);
  one.acquire(MODEL);
  at(1_100);
  one.limited();
  at(4_000);
  const whilePublished = other.limits.allows(MODEL);
  at(8_100);

  expect([whilePublished, other.limits.allows(MODEL)]).toEqual([false, true]);
});

test('a turn that is refused again returns after the waiting turns', () => {
  const { limits } = limitsAt(0);
  limits.refused(MODEL, 2_000);

  const [refused, ...others] = [limits.bookReturn(MODEL, 'again'), limits.bookReturn(MODEL), limits.bookReturn(MODEL)];

  expect(others).toEqual([2_010, 2_020]);
  expect(refused).toBe(3_000);
});

test('a single turn returns when the limit ends, and ten thousand turns over a minute', () => {
  const { limits } = limitsAt(0);
  limits.refused(MODEL, 2_000);

  const returns = Array.from({ length: 10_000 }, () => limits.bookReturn(MODEL));

  expect(returns.slice(0, 3)).toEqual([2_000, 2_010, 2_020]);
  expect(Math.max(...returns)).toBeLessThanOrEqual(62_000);
  expect(returns.filter((ms) => ms < 3_000).length).toBeLessThan(300);
});

test('workers publish a limit, its probe and its end to each other', () => {
  const clock = { now: 0 };
  const all: RateLimits[] = [];
  const publishToWorkers = (message: unknown) => {
    for (const limits of all) limits.receive(message as RateLimitChange);
  };
  for (const _ of Array(2)) all.push(makeRateLimits({ publishToWorkers }, () => clock.now));
  const [one, other] = all as [RateLimits, RateLimits];

  one.refused(MODEL, 2_000);
  const whileClosed = other.allows(MODEL);
  clock.now = 2_000;
  const atEnd = [one.allows(MODEL), other.allows(MODEL)];
  const probe = one.acquire(MODEL);
  const whileProbed = other.allows(MODEL);
  probe.answered();

  expect([whileClosed, atEnd, whileProbed]).toEqual([false, [true, true], false]);
  expect([one.any(), other.any()]).toEqual([false, false]);
});

test('a worker remembers a bounded number of models', () => {
  const { limits } = limitsAt(0);

  for (let model = 0; model < 2_000; model += 1) limits.refused(`openai/${model}`, 60_000);

  expect(limits.limited()).toHaveLength(1_000);
  expect(limits.allows('openai/1999')).toBe(false);
});

function limitsAt(now: number) {
  const clock = { now };
  return { clock, limits: makeRateLimits({ publishToWorkers: () => {} }, () => clock.now) };
}

test('a reply that uses up the limit closes it until the reset, and is not a refusal', () => {
  const { limits } = limitsAt(0);

  for (const _ of Array(3)) limits.exhausted(MODEL, 7_200_000);

  expect(limits.limited()).toEqual([{ name: MODEL, forMs: 7_200_000, counts: false }]);
  expect(limits.isStuck(MODEL)).toBe(false);
});
