import type { Usage } from '#core/turn/reply.ts';
import type { WorkerContext } from '../context.ts';

/** What a request used, with what it cost by the prices of now; of a model without a price it stays as it is. */
export function pricedUsage(usage: Usage | null, model: string, { prices }: WorkerContext): Usage | null {
  const cost_usd = prices.costOf(model, usage);
  return cost_usd === null || usage === null ? usage : { ...usage, cost_usd };
}
