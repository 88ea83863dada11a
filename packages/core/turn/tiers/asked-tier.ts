import type { ServiceTier } from '../config/service-tier.ts';
import type { Turn } from '../turn.ts';

/** Returns the tier of the next request of a turn: its own, or the tier that the round has changed to. */
export function askedTier({ config, work }: Pick<Turn, 'config' | 'work'>): ServiceTier | null {
  return work.tierWait?.tier ?? config.service_tier ?? null;
}

/** Tiers with rate limits of their own. All others share the ordinary ones of their model. */
const APART: readonly (ServiceTier | null)[] = ['flex', 'priority'];

/** The name of the rate limit of a model on a tier: `openai/gpt-5.4 on flex`. */
export function limitName(model: string, tier: ServiceTier | null): string {
  return APART.includes(tier) ? `${model} on ${tier}` : model;
}
