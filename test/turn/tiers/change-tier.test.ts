import { expect, test } from 'vitest';
import type { ServiceTier } from '#core/turn/config/service-tier.ts';
import { askedTier, decideCapacity, isLate, lateInMs, limitName } from '#core/turn/tiers/change-tier.ts';
import type { TierWait, Turn } from '#core/turn/turn.ts';
import { makeTurn } from '../make-turn.ts';

type Given = {
  tier?: ServiceTier | null;
  fallback?: boolean;
  wait?: Partial<TierWait>;
  deadlineSeconds?: number | null;
  leftMs?: number | null;
};

/** Returns a turn on flex that was refused as in `wait`, with `leftMs` until its deadline. */
function turnOf({ tier = 'flex', fallback = true, wait, deadlineSeconds = null, leftMs = null }: Given = {}): Turn {
  const tierWait = wait ? { refusals: 1, waitedMs: 0, tier: null, ...wait } : null;
  const limits = { deadline_seconds: deadlineSeconds };
  const turn = makeTurn({ work: { tierWait, deadlineInMs: leftMs }, limits });
  const tiers = { ...(tier && { service_tier: tier }), ...(fallback && { tier_fallback: 'default' as const }) };
  return { ...turn, config: { ...turn.config, ...tiers } };
}

const DAY_MS = 86_400_000;
const decide = (given: Given, more: object = {}) =>
  decideCapacity(turnOf(given), { mostMs: DAY_MS, random: () => 1, ...more });

test('a round with tier_fallback changes its tier at the third refusal', () => {
  expect(decide({}).kind).toBe('again');
  expect(decide({ wait: { refusals: 1 } }).kind).toBe('again');
  expect(decide({ wait: { refusals: 2 } })).toEqual({ kind: 'change', because: 'refused' });
});

test('a round without tier_fallback takes any number of refusals', () => {
  for (const refusals of [2, 3, 100, 10_000])
    expect(decide({ fallback: false, wait: { refusals } })).toMatchObject({ kind: 'again' });
});

test('a round without a deadline waits for up to the maximum, exactly', () => {
  const wait = { refusals: 1, waitedMs: DAY_MS - 1 };

  expect(decide({ fallback: false, wait })).toEqual({ kind: 'again', delayMs: 1 });
  expect(decide({ fallback: false, wait: { ...wait, waitedMs: DAY_MS } })).toEqual({ kind: 'fail' });
  expect(decide({ wait: { ...wait, waitedMs: DAY_MS } })).toEqual({ kind: 'change', because: 'waited' });
  expect(decide({ fallback: false }, { mostMs: 0 })).toEqual({ kind: 'fail' });
});

test('a round with a deadline waits longer than a round without a deadline', () => {
  const given = { wait: { waitedMs: 5 * DAY_MS }, deadlineSeconds: 10 * 86_400, leftMs: 5 * DAY_MS };

  expect(decide({ ...given, fallback: false }).kind).toBe('again');
  expect(decide({ ...given }).kind).toBe('again');
});

test('pauses double up to five minutes, and are at least the requested pause', () => {
  const pauses = [1, 2, 3, 5, 8, 9, 1_000].map((refusals) =>
    decide({ fallback: false, wait: { refusals } }, { random: () => 0 }),
  );
  const delays = pauses.map((pause) => (pause.kind === 'again' ? pause.delayMs : 0));

  expect(delays).toEqual(delays.toSorted((one, other) => one - other));
  expect(delays.at(-1)).toBeLessThanOrEqual(300_000);
  expect(delays.at(-1)).toBeGreaterThanOrEqual(150_000);
  expect(decide({ fallback: false }, { requestedMs: 60_000 })).toEqual({ kind: 'again', delayMs: 60_000 });
});

test.each([
  [1_000, 200_000],
  [100, 20_000],
  [3_000, 600_000],
  [36_000, 600_000],
  [86_400 * 30, 600_000],
])('of a deadline of %i seconds, the last %i ms are for the default tier', (deadlineSeconds, lastMs) => {
  const at = (leftMs: number) => turnOf({ deadlineSeconds, leftMs });

  expect(isLate(at(lastMs + 1))).toBe(false);
  expect(lateInMs(at(lastMs + 1))).toBe(1);
  expect(isLate(at(lastMs))).toBe(true);
  expect(decideCapacity(at(lastMs), { mostMs: DAY_MS })).toEqual({ kind: 'change', because: 'deadline' });
});

test.each([
  [1_000, 200_000],
  [10_000, 2_000_000],
  [18_000, 3_600_000],
  [86_400 * 2, 3_600_000],
])('of a deadline of %i seconds, a round on batch leaves the last %i ms', (deadlineSeconds, lastMs) => {
  const at = (leftMs: number) => turnOf({ tier: 'batch', deadlineSeconds, leftMs });

  expect(lateInMs(at(lastMs + 1))).toBe(1);
  expect(isLate(at(lastMs + 1))).toBe(false);
  expect(isLate(at(lastMs))).toBe(true);
});

test('a pause ends when the round must leave its tier', () => {
  const given = { wait: { refusals: 1 }, deadlineSeconds: 1_000, leftMs: 201_500 };

  expect(decide(given, { requestedMs: 60_000 })).toEqual({ kind: 'again', delayMs: 1_500 });
});

test.each<[string, Given]>([
  ['has no tier_fallback', { fallback: false }],
  ['is on another tier', { tier: 'priority' }],
  ['has no tier', { tier: null }],
  ['has changed its tier', { wait: { refusals: 3, tier: 'default' } }],
  ['has left batch', { tier: 'batch', wait: { refusals: 3, tier: 'default' } }],
  ['is on batch without tier_fallback', { tier: 'batch', fallback: false }],
])('a round that %s is never late', (_, given) => {
  expect(lateInMs(turnOf({ ...given, deadlineSeconds: 1_000, leftMs: 1 }))).toBe(Number.POSITIVE_INFINITY);
});

test('a round without a deadline is never late', () => {
  expect(isLate(turnOf())).toBe(false);
});

test('the changed tier of a round overrides the tier of its turn', () => {
  expect(askedTier(turnOf())).toBe('flex');
  expect(askedTier(turnOf({ wait: { refusals: 2 } }))).toBe('flex');
  expect(askedTier(turnOf({ wait: { refusals: 3, tier: 'default' } }))).toBe('default');
  expect(askedTier(turnOf({ tier: null, fallback: false }))).toBeNull();
  expect(askedTier(turnOf({ tier: 'batch', wait: { tier: 'default' } }))).toBe('default');
});

test('only flex, priority and batch have separate rate limits', () => {
  const names = ([null, 'auto', 'default', 'flex', 'priority', 'batch'] as const).map((tier) =>
    limitName('openai/x', tier),
  );

  expect(new Set(names.slice(0, 3))).toEqual(new Set(['openai/x']));
  expect(new Set(names).size).toBe(4);
});
