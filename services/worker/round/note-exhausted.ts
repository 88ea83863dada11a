import type { Reply } from '#core/turn/reply.ts';
import type { WorkerContext } from '../context.ts';

/** Nothing is left of a limit of the provider: the model under this rate limit is left alone as after a 429. */
export function noteExhausted(limit: string, { exhaustedForMs }: Reply, { rateLimits }: WorkerContext): void {
  if (exhaustedForMs !== undefined) rateLimits.exhausted(limit, exhaustedForMs);
}
