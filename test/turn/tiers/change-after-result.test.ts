import { expect, test } from 'vitest';
import { changeAfterResult } from '#core/turn/tiers/change-after-result.ts';
import type { Turn } from '#core/turn/turn.ts';
import { makeTurn } from '../make-turn.ts';

type Given = { fallback?: boolean; failures?: number; deadlineSeconds?: number; leftMs?: number };

/** Returns a turn on batch, with so many failed results before, and `leftMs` until its deadline. */
function turnOf({ fallback = true, failures, deadlineSeconds, leftMs }: Given = {}): Turn {
  const tierWait = failures === undefined ? null : { refusals: failures, waitedMs: 0, tier: null };
  const limits = { deadline_seconds: deadlineSeconds ?? null };
  const turn = makeTurn({ work: { tierWait, deadlineInMs: leftMs ?? null }, limits });
  const tiers = { service_tier: 'batch' as const, ...(fallback && { tier_fallback: 'default' as const }) };
  return { ...turn, config: { ...turn.config, ...tiers } };
}

const late = { deadlineSeconds: 1_000, leftMs: 200_000 };

const failed = { code: 'provider_timeout', retry: { kind: 'later' } } as const;
const refused = { code: 'provider_rate_limited', retry: { kind: 'never' } } as const;

test('a round on batch with tier_fallback changes its tier at the third failed result', () => {
  expect(changeAfterResult(turnOf(), failed)).toBe(null);
  expect(changeAfterResult(turnOf({ failures: 1 }), failed)).toBe(null);
  expect(changeAfterResult(turnOf({ failures: 2 }), failed)).toBe('refused');
});

test('a failed result of a round on batch without tier_fallback is always an attempt', () => {
  for (const failures of [0, 2, 3, 100])
    expect(changeAfterResult(turnOf({ fallback: false, failures, ...late }), failed)).toBe(null);
  expect(changeAfterResult(turnOf({ fallback: false }), refused)).toBe(null);
});

test('a failed result near the deadline changes the tier batch', () => {
  expect(changeAfterResult(turnOf(late), failed)).toBe('deadline');
  expect(changeAfterResult(turnOf({ ...late, leftMs: 200_001 }), failed)).toBe(null);
});

test('a batch that was refused for the longest time changes the tier', () => {
  expect(changeAfterResult(turnOf(), refused)).toBe('waited');
});

test('a permanent failure of a result does not change the tier', () => {
  const invalid = { code: 'provider_invalid_request', retry: { kind: 'never' } } as const;
  expect(changeAfterResult(turnOf({ failures: 5 }), invalid)).toBe(null);
});
