import { createHash } from 'node:crypto';
import { canonicalArguments } from '../../turn/call.ts';
import type { Tool } from '../../turn/request/tool.ts';

/**
 * Returns the key under which equal calls of a conversation share an answer, or null. Only tools without effects and
 * with a cache time are cached.
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
