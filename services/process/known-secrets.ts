import { isRecord } from '#core/json.ts';
import { type ProviderConfig, readExtraProviders, readHeaders } from '#core/llm/make/provider-config.ts';
import { passwordsOfProxies } from '#core/proxy.ts';
import { passwordsOfRedis } from '#core/redis-url.ts';
import type { ToolSecrets } from '#core/tools/http/secrets.ts';
import { readMcpServers } from '#core/tools/mcp/config.ts';
import type { Settings } from './settings.ts';

/** Shorter keys are placeholders such as `secret` or `ollama`, which outputs may well contain. */
const SHORTEST_KEY = 8;

/**
 * Returns every secret value of the environment: secrets of tools, providers, MCP servers, webhooks and Redis, and
 * the keys of callers.
 */
export function knownSecrets(settings: Settings, toolSecrets: ToolSecrets, callers: string[]): string[] {
  const { variables } = settings;
  const given = [
    ...Object.values(readExtraProviders(variables, [])).flatMap(keysOfProvider),
    ...Object.entries(variables).map(([name, value = '']) => (name.endsWith('_API_KEY') ? value : '')),
    ...keysOf(readHeaders(variables, 'ANTHROPIC_CUSTOM_HEADERS')),
    ...callers,
    ...listed(settings.PAWL_WEBHOOK_SECRET).map((secret) => secret.replace(/^whsec_/, '')),
    ...[...readMcpServers(settings.PAWL_MCP).values()].flatMap((server) =>
      keysOf('url' in server ? server.headers : server.env),
    ),
    ...passwordsOfRedis(settings.REDIS_URL ?? ''),
    ...passwordsOfProxies(variables),
    settings.PAWL_METRICS_KEY ?? '',
  ];
  const keys = given.map((key) => key.trim());
  const values = [...toolSecrets.values()].map(({ value }) => value);
  return [...values, ...keys.filter((key) => key.length >= SHORTEST_KEY)];
}

/** Returns the secrets in a provider's key, headers and package options (at any depth). */
function keysOfProvider(provider: ProviderConfig): string[] {
  const own = provider.kind === 'ai-sdk' ? keysWithin(provider.options) : [provider.api_key ?? ''];
  return [...own, ...keysOf(provider.headers)];
}

function keysWithin(options: Record<string, unknown>): string[] {
  const texts = Object.entries(options).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const inner = Object.values(options).filter(isRecord).flatMap(keysWithin);
  return [...keysOf(Object.fromEntries(texts)), ...inner];
}

/** Returns the values of headers or variables that are named like secrets, split at spaces (`Bearer …`). */
function keysOf(given: Record<string, string>): string[] {
  const named = Object.entries(given).filter(([name]) => /auth|key|token|secret|password|cookie/i.test(name));
  return named.flatMap(([, value]) => value.split(/\s+/));
}

function listed(text = ''): string[] {
  return text.split(',').map((entry) => entry.trim());
}
