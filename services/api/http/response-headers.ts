import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { newId } from '#core/id.ts';
import { isUnderResponses } from './response-base.ts';
import type { ApiEnv } from './router.ts';

/** Statuses that an OpenAI client may see change when it asks again the same way. */
const WORTH_REPEATING = new Set([408, 429, 500, 503]);

/**
 * Gives each answer under a base of responses the headers that OpenAI's clients read, errors included: `x-request-id`,
 * `openai-processing-ms`, and `x-should-retry: false` where the same would fail again (contract-responses R2, R50).
 */
export const setResponseHeaders = createMiddleware<ApiEnv>(async (c, next) => {
  if (!isUnderResponses(c.req.path)) return next();
  const startedAt = performance.now();
  const requestId = newId('req');
  c.set('received', { requestId, startedAt });
  c.header('x-request-id', requestId);
  await next();
  c.header('openai-processing-ms', processingMs(startedAt));
  const isFinal = c.res.status >= 400 && !WORTH_REPEATING.has(c.res.status);
  if (isFinal && !c.res.headers.has('x-should-retry')) c.header('x-should-retry', 'false');
});

/** The same headers for an answer that is written to Node's response directly, as streams are. */
export function streamHeaders(c: Context<ApiEnv>): Record<string, string> {
  const { requestId, startedAt } = c.get('received');
  return { 'x-request-id': requestId, 'openai-processing-ms': processingMs(startedAt) };
}

/** Whole milliseconds since a moment of `performance.now()`. */
function processingMs(startedAt: number): string {
  return String(Math.round(performance.now() - startedAt));
}
