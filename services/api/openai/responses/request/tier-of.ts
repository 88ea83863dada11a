import type { Provider } from '#core/llm/provider.ts';
import { supportsTier } from '#core/llm/unsupported-parameter.ts';
import { ServiceTier } from '#core/turn/config/service-tier.ts';
import type { ResponseBody } from '../response-body.ts';

/**
 * The tier of the turn of a create request. `auto` is OpenAI's own default, so it names none; `default` names none at a
 * provider that cannot be told it. Of tiers that only OpenAI has, see `passedTier`.
 */
export function tierOf(
  { service_tier }: Pick<ResponseBody, 'service_tier'>,
  provider: Pick<Provider, 'capabilities'>,
): ServiceTier | null {
  const tier = ServiceTier.safeParse(service_tier).data ?? null;
  if (tier === 'auto' || (tier === 'default' && !supportsTier(provider, tier))) return null;
  return tier;
}

/** A tier that a turn request does not have: it is passed on to OpenAI's wires. */
export function passedTier({ service_tier }: Pick<ResponseBody, 'service_tier'>): string | null {
  return service_tier && !ServiceTier.safeParse(service_tier).success ? service_tier : null;
}
