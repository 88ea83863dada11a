import { countHostedCalls } from '#core/turn/hosted/hosted.ts';
import type { Reply, Usage } from '#core/turn/reply.ts';
import type { WorkerContext } from '../context.ts';

/**
 * Returns the usage of a reply with its calls of hosted tools, and its cost at the current prices. Without a price of
 * its model, its tier or a called tool, the usage has no cost.
 */
export function pricedUsage(
  { usage: reported, serviceTier = null, hosted }: Pick<Reply, 'usage' | 'serviceTier' | 'hosted'>,
  model: string,
  { prices }: WorkerContext,
): Usage | null {
  const counts = countHostedCalls(hosted?.calls ?? []);
  const usage = reported && counts ? { ...reported, hosted_calls: counts } : reported;
  const cost = prices.costOf(model, usage, serviceTier);
  return cost === null || usage === null ? usage : { ...usage, cost_usd: cost.usd, cache_savings_usd: cost.savings };
}
