import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { newId } from '#core/id.ts';
import { isUnderResponses } from './response-base.ts';
import type { ApiEnv } from './router.ts';

/** Statuses that may change when an OpenAI client repeats the request. */
const WORTH_REPEATING = new Set([408, 429, 500, 503]);

/**
 * Adds the headers that OpenAI's clients read to each answer under a base of responses, including errors:
 * `x-request-id`, `openai-processing-ms`, and `x-should-retry: false` if the same request would fail again.
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

/** Returns the same headers for an answer that is written directly to Node's response, such as a stream. */
export function streamHeaders(c: Context<ApiEnv>): Record<string, string> {
  const { requestId, startedAt } = c.get('received');
  return { 'x-request-id': requestId, 'openai-processing-ms': processingMs(startedAt) };
}

/** Returns whole milliseconds since a moment of `performance.now()`. */
function processingMs(startedAt: number): string {
  return String(Math.round(performance.now() - startedAt));
}
