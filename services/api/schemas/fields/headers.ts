import { z } from 'zod';

export const locationHeader = { Location: z.string().describe('Where the resource is.') };

export const pollAfterHeader = {
  'Pawl-Poll-After-Ms': z
    .int()
    .min(0)
    .optional()
    .describe('In how many milliseconds to ask again; absent once the turn has ended.'),
};

export const replayedHeader = {
  'Idempotency-Replayed': z
    .literal('true')
    .optional()
    .describe('This key was used before: nothing was done again, and the resource is shown as it is now.'),
};

export const retryAfterHeader = { 'Retry-After': z.int().min(0).describe('In how many seconds to try again.') };

export const wwwAuthenticateHeader = { 'WWW-Authenticate': z.literal('Bearer').describe('How to say who you are.') };

/** The header that makes a creating request safe to repeat; `idempotently` reads it. */
export const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header' as const,
  description:
    'Makes the request safe to repeat: with the same key and body it is done once, and answered again with what was ' +
    'made then. Kept at least 24 hours, per project and path. With another body: 409.',
  schema: { type: 'string' as const, pattern: '^[\\x21-\\x7e]{1,255}$', examples: ['order-17'] },
};
