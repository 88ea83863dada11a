import { exponentialBackoffMs, jitterMs } from '../../backoff.ts';
import type { ServiceTier } from '../config/service-tier.ts';
import type { Turn } from '../turn.ts';

/**
 * Why a round changes its tier.
 * - `refused`: three refusals for lack of capacity, or three failed results of batches.
 * - `deadline`: the deadline is near.
 * - `waited`: the round has waited for the longest time.
 */
export const TIER_CHANGES = ['refused', 'deadline', 'waited'] as const;
export type TierChange = (typeof TIER_CHANGES)[number];

/** The number of refusals of a round, or of its failed results, after which `tier_fallback` applies. */
export const MOST_REFUSALS = 3;

const BACKOFF = { firstMs: 2_000, longestMs: 300_000 };
const HALF_JITTER = [0.5, 1] as const;

type Waiting = Pick<Turn, 'config' | 'work'>;

/** A decision after a refusal for lack of capacity: another attempt on the same tier, another tier, or failure. */
type CapacityDecision = { kind: 'again'; delayMs: number } | { kind: 'change'; because: TierChange } | { kind: 'fail' };

/**
 * Decides for a round on `flex`. It waits at most five minutes at a time, up to its deadline, or for `mostMs` in all
 * without a deadline. `tier_fallback` leaves the tier before.
 */
export function decideCapacity(
  turn: Waiting,
  { mostMs, requestedMs = 0, random = Math.random }: { mostMs: number; requestedMs?: number; random?: () => number },
): CapacityDecision {
  const { tierWait, deadlineInMs } = turn.work;
  const { refusals: before = 0, waitedMs = 0 } = tierWait ?? {};
  const refusals = before + 1;
  const mayChange = turn.config.tier_fallback !== undefined;
  if (mayChange && refusals >= MOST_REFUSALS) return { kind: 'change', because: 'refused' };
  if (isLate(turn)) return { kind: 'change', because: 'deadline' };
  const leftMs = deadlineInMs === null ? mostMs - waitedMs : Number.POSITIVE_INFINITY;
  if (leftMs <= 0) return mayChange ? { kind: 'change', because: 'waited' } : { kind: 'fail' };
  const backoffMs = jitterMs(exponentialBackoffMs(refusals, BACKOFF), HALF_JITTER, random);
  const pauseMs = Math.max(backoffMs, Math.min(requestedMs, BACKOFF.longestMs));
  const delayMs = Math.min(pauseMs, leftMs, lateInMs(turn));
  return { kind: 'again', delayMs: Math.max(1, Math.ceil(delayMs)) };
}

/** Returns whether a round on `flex` or `batch` must leave its tier now because its deadline is near. */
export function isLate(turn: Waiting): boolean {
  return lateInMs(turn) <= 0;
}

/** The part of the time to the deadline that is reserved for another tier, and its maximum for each tier. */
const LAST_PART = 1 / 5;
const LONGEST_LAST_PARTS_MS: Partial<Record<ServiceTier, number>> = { flex: 600_000, batch: 3_600_000 };

/** Returns the milliseconds until a round leaves its tier for its deadline, or infinity if it does not. */
export function lateInMs({ config, work }: Waiting): number {
  const { limits, tier_fallback } = config;
  const longestMs = LONGEST_LAST_PARTS_MS[askedTier({ config, work }) ?? 'default'];
  const isBound = tier_fallback !== undefined && longestMs !== undefined;
  if (!isBound || work.deadlineInMs === null || limits.deadline_seconds === null) return Number.POSITIVE_INFINITY;
  const lastMs = Math.min(limits.deadline_seconds * 1_000 * LAST_PART, longestMs);
  return work.deadlineInMs - lastMs;
}

/** Returns the tier of the next request of a turn: its own tier, or the tier after a change in this round. */
export function askedTier({ config, work }: Pick<Turn, 'config' | 'work'>): ServiceTier | null {
  return work.tierWait?.tier ?? config.service_tier ?? null;
}

/** Returns whether the next request of a turn belongs into a batch. */
export function isBatched(turn: Pick<Turn, 'config' | 'work'>): boolean {
  return askedTier(turn) === 'batch';
}

/** Tiers with their own rate limits. All other tiers share the rate limits of their model. */
const APART: readonly (ServiceTier | null)[] = ['flex', 'priority', 'batch'];

/** Returns the name of a model's rate limit on a tier: `openai/gpt-5.4 on flex`. */
export function limitName(model: string, tier: ServiceTier | null): string {
  return APART.includes(tier) ? `${model} on ${tier}` : model;
}
