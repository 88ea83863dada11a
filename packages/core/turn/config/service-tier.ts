import { z } from 'zod';

/** How requests use a provider's prompt cache. */
export const PromptCache = z.enum(['auto', 'off', '5m', '1h']);
export type PromptCache = z.infer<typeof PromptCache>;

/** A tier of a provider: the speed and the price of a request. */
export const ServiceTier = z.enum(['auto', 'default', 'flex', 'priority', 'batch']);
export type ServiceTier = z.infer<typeof ServiceTier>;
