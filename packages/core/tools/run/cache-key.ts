import { createHash } from 'node:crypto';
import { canonicalArguments } from '../../turn/call.ts';
import type { Tool } from '../../turn/request/tool.ts';

/**
 * The key under which equal calls of a conversation share an answer. Null where they may not: only a tool without
 * effects and with a cache time is cached (contract: Tool).
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
