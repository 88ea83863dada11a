import type { Reply, Usage } from '#core/turn/reply.ts';
import type { WorkerContext } from '../context.ts';

/**
 * Returns the usage of a reply with its cost at the current prices. Without a price of its model and tier, the usage
 * has no cost.
 */
export function pricedUsage(
  { usage, serviceTier = null }: Pick<Reply, 'usage' | 'serviceTier'>,
  model: string,
  { prices }: WorkerContext,
): Usage | null {
  const cost = prices.costOf(model, usage, serviceTier);
  return cost === null || usage === null ? usage : { ...usage, cost_usd: cost.usd, cache_savings_usd: cost.savings };
}
