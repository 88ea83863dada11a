import { hash } from 'node:crypto';
import type { Turn } from '../turn/turn.ts';
import type { Caching, Provider, RoundRequest } from './provider.ts';

type Cached = Pick<Turn, 'project' | 'conversationId' | 'position' | 'config'>;

/**
 * Returns the caching of a turn's rounds, or null if it is off. `auto` caches prefixes that will probably be sent
 * again.
 */
export function cachingOf({ project, conversationId, position, config }: Cached): Caching | null {
  const { prompt_cache: wanted = 'auto', tools } = config;
  const isOn = wanted === 'auto' ? tools.length > 0 || position > 1 : wanted !== 'off';
  if (!isOn) return null;
  return { ttl: wanted === '5m' || wanted === '1h' ? wanted : null, key: keyOf(project, conversationId) };
}

function keyOf(project: string, conversationId: string): string {
  return hash('sha256', `${project}\n${conversationId}`).slice(0, 32);
}

type Asked = Pick<Provider, 'name' | 'cacheTtls'>;

/** Leaves out a time to cache that the provider does not support, with a warning. Fallbacks may support less. */
export function withKnownTtl(
  request: RoundRequest,
  { name, cacheTtls = [] }: Asked,
): { request: RoundRequest; warnings: string[] } {
  const { promptCache } = request;
  if (!promptCache?.ttl || cacheTtls.includes(promptCache.ttl)) return { request, warnings: [] };
  const warning = `prompt_cache "${promptCache.ttl}" is not supported by ${name} and was left out`;
  return { request: { ...request, promptCache: { ...promptCache, ttl: null } }, warnings: [warning] };
}
