import { z } from 'zod';

const locationHeader = { Location: z.string().describe('Where the resource is.') };

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

/** The headers of an answer that has created a resource, or shows the one that its key has created before. */
export const createdHeaders = { ...locationHeader, ...replayedHeader };

/** The same of a turn. */
export const startedHeaders = { ...createdHeaders, ...pollAfterHeader };

export const retryAfterHeader = { 'Retry-After': z.int().min(0).describe('In how many seconds to try again.') };

/** Of projects with quotas. */
export const rateLimitHeaders = {
  'RateLimit-Policy': z
    .string()
    .optional()
    .describe('The quotas of the project (IETF draft): `"requests_per_minute";q=600;w=60`.'),
  RateLimit: z
    .string()
    .optional()
    .describe('What is left of a quota, and in how many seconds it is whole again: `"requests_per_minute";r=0;t=17`.'),
};

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

export const entityTagHeader = {
  ETag: z.string().describe('The tag of this body; `If-None-Match` with it answers 304 while the body is the same.'),
  'Cache-Control': z.literal('private, no-cache').describe('To be kept by its caller only, and asked for anew.'),
};

/** The header that asks for a body only where it is another than those that the caller has. */
export const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header' as const,
  description:
    'Tags of bodies that the caller has, comma-separated, or `*`: where the body has one of them, the answer is 304.',
  schema: { type: 'string' as const, examples: ['"Uy0aKDpMhOq1h9c"'] },
};

/** The answer to a caller who has the body already. */
export const notModified = {
  304: { description: 'The caller has this body already.', headers: z.object(entityTagHeader) },
};
