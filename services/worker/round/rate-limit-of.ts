import { askedTier, limitName } from '#core/turn/tiers/asked-tier.ts';
import type { Turn } from '#core/turn/turn.ts';

/**
 * The name of the rate limit that the next round of a turn is under. A model that writes summaries is under its own.
 */
export function rateLimitOf(turn: Pick<Turn, 'config' | 'work'>): string {
  return limitName(turn.work.model, askedTier(turn));
}
