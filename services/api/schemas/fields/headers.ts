import { z } from 'zod';

const locationHeader = { Location: z.string().describe('The path of the resource.') };

export const pollAfterHeader = {
  'Pawl-Poll-After-Ms': z
    .int()
    .min(0)
    .optional()
    .describe('The time in milliseconds until the next poll. Absent after the turn ends.'),
};

export const replayedHeader = {
  'Idempotency-Replayed': z
    .literal('true')
    .optional()
    .describe('The key was used before. Pawl did not repeat the work, and shows the resource as it is now.'),
};

/**
 * The headers of an answer that created a resource, or that shows the resource of an earlier request with the same
 * key.
 */
export const createdHeaders = { ...locationHeader, ...replayedHeader };

/** The same headers for a turn. */
export const startedHeaders = { ...createdHeaders, ...pollAfterHeader };

export const retryAfterHeader = { 'Retry-After': z.int().min(0).describe('The time in seconds until the next try.') };

/** Headers for projects with quotas. */
export const rateLimitHeaders = {
  'RateLimit-Policy': z
    .string()
    .optional()
    .describe('The quotas of the project (IETF draft): `"requests_per_minute";q=600;w=60`.'),
  RateLimit: z
    .string()
    .optional()
    .describe('The rest of a quota, and the seconds until it is full again: `"requests_per_minute";r=0;t=17`.'),
};

export const wwwAuthenticateHeader = { 'WWW-Authenticate': z.literal('Bearer').describe('The authentication scheme.') };

/** The header that makes a creating request safe to repeat. `idempotently` reads it. */
export const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header' as const,
  description:
    'Makes the request safe to repeat. A second request with the same key and body does no work and returns the resource of the first request. With a different body: 409. Pawl keeps keys for at least 24 hours, per project and path.',
  schema: { type: 'string' as const, pattern: '^[\\x21-\\x7e]{1,255}$', examples: ['order-17'] },
};

export const entityTagHeader = {
  ETag: z
    .string()
    .describe('The tag of this body. A request with the tag in `If-None-Match` gets a 304 while the body is the same.'),
  'Cache-Control': z
    .literal('private, no-cache')
    .describe('Only the caller may cache the body, and must revalidate it.'),
};

/** The header that requests a body only if it differs from the caller's bodies. */
export const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header' as const,
  description:
    'Tags of bodies that the caller has, separated by commas, or `*`. If the current body has one of these tags, the answer is 304.',
  schema: { type: 'string' as const, examples: ['"Uy0aKDpMhOq1h9c"'] },
};

/** The answer to a caller that has the current body. */
export const notModified = {
  304: { description: 'The caller has the current body already.', headers: z.object(entityTagHeader) },
};
