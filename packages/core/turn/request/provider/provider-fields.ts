import { z } from 'zod';
import { Json } from '../json.ts';
import { ModelRetry } from './model-retry.ts';
import { ProviderHeaders } from './provider-headers.ts';

/** The use of a provider's cache. */
export const PromptCache = z.enum(['auto', 'off', '5m', '1h']);
export type PromptCache = z.infer<typeof PromptCache>;

/** A tier of a provider: the speed and the price of a request. */
export const ServiceTier = z.enum(['auto', 'default', 'flex', 'priority', 'batch']);
export type ServiceTier = z.infer<typeof ServiceTier>;

/** Fields of a turn for its provider, besides the conversation. */
export const providerFields = {
  prompt_cache: PromptCache.nullish().describe(
    '`auto` (default) uses the provider’s cache if it is likely to help. `off` sends no cache fields. `5m` and `1h` are minimum lifetimes.',
  ),
  service_tier: ServiceTier.nullish().describe(
    'The tier of the provider on which each round is asked. Without it, no tier is sent. `flex` costs less and waits while the provider lacks capacity.',
  ),
  tier_fallback: z
    .enum(['default'], 'give "default"')
    .nullish()
    .describe(
      'With `flex`: a round that the provider refuses three times for lack of capacity, or that is late for the deadline, is asked on this tier.',
    ),
  provider_options: z
    .record(z.string(), Json)
    .nullish()
    .describe(
      'Merged into the top level of the provider’s request, as they are. A null leaves its field out of the request. For a package of the AI SDK, by the name of its provider.',
    ),
  provider_headers: ProviderHeaders.nullish().describe(
    'Headers of each request to the model, at most 16. The operator lists the names that a provider allows.',
  ),
  model_retry: ModelRetry.nullish().describe('Attempts and timeouts of requests to the model.'),
};
