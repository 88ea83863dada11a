import { isOpenaiWire, type Provider } from '#core/llm/provider.ts';
import { supportsTier } from '#core/llm/unsupported-parameter.ts';
import { ServiceTier } from '#core/turn/config/service-tier.ts';
import type { ResponseBody } from '../response-body.ts';

type Asked = Pick<Provider, 'name' | 'capabilities' | 'takesCacheKey'>;

/**
 * Returns the fields that the provider's request gets unchanged: fields of OpenAI's wires, and hints, which only
 * OpenAI is known to accept. The caller's own `provider_options` are added last.
 */
export function wireOptions(body: ResponseBody, { name, capabilities, takesCacheKey = false }: Asked) {
  const { prompt_cache_key } = body;
  return {
    ...(capabilities.wire === 'openai' ? chatOptions(body) : {}),
    ...(isOpenaiWire(capabilities.wire) ? tierOption(body) : {}),
    ...(name === 'openai' ? hintsOf(body) : {}),
    ...(takesCacheKey && prompt_cache_key ? { prompt_cache_key } : {}),
    ...body.pawl?.provider_options,
  };
}

/** Returns the fields of a response that only Chat Completions has, by their names there. */
export function chatOptions({ presence_penalty, frequency_penalty, top_logprobs }: ResponseBody) {
  return {
    ...(presence_penalty ? { presence_penalty } : {}),
    ...(frequency_penalty ? { frequency_penalty } : {}),
    ...(top_logprobs ? { logprobs: true, top_logprobs } : {}),
  };
}

function tierOption(body: ResponseBody) {
  const service_tier = passedTier(body);
  return service_tier === null ? {} : { service_tier };
}

function hintsOf({ user, safety_identifier, prompt_cache_retention }: ResponseBody) {
  const hints = { user, safety_identifier, prompt_cache_retention };
  return Object.fromEntries(Object.entries(hints).filter(([, value]) => value));
}

/**
 * Returns the tier of the turn of a create request. `auto` is OpenAI's default, so no tier is sent. `default` is not
 * sent to a provider without that value. For tiers that only OpenAI has, see `passedTier`.
 */
export function tierOf(
  { service_tier }: Pick<ResponseBody, 'service_tier'>,
  provider: Pick<Provider, 'capabilities'>,
): ServiceTier | null {
  const tier = ServiceTier.safeParse(service_tier).data ?? null;
  if (tier === 'auto' || (tier === 'default' && !supportsTier(provider, tier))) return null;
  return tier;
}

/** Returns a tier that a turn request does not have. It is passed on to OpenAI's wires. */
export function passedTier({ service_tier }: Pick<ResponseBody, 'service_tier'>): string | null {
  return service_tier && !ServiceTier.safeParse(service_tier).success ? service_tier : null;
}
