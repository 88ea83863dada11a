import { createHash } from 'node:crypto';
import { canonicalArguments } from '../turn/canonical-arguments.ts';
import type { Tool } from '../turn/tool.ts';

/**
 * Under which the answer to a call may serve equal calls of its conversation; null where it may not: only a tool without
 * effects, with a time to keep its answers, is cached (contract: Tool).
 */
export function cacheKey(
  conversationId: string,
  { name, effect, execution, ...tool }: Tool,
  args: string,
): string | null {
  if (effect !== 'none' || tool.cache_ttl_seconds === 0) return null;
  const same = JSON.stringify([conversationId, name, execution, canonicalArguments(args)]);
  return createHash('sha256').update(same).digest('base64url');
}
