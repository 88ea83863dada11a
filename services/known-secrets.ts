import { readExtraProviders } from '#core/llm/read-extra-providers.ts';
import { type McpServerConfig, readMcpServers } from '#core/tools/mcp/read-mcp-servers.ts';
import type { ToolSecrets } from '#core/tools/tool-secrets.ts';
import type { Settings } from './settings.ts';

type Env = Record<string, string | undefined>;

/** Keys shorter than this are stand-ins such as `secret` or `ollama`: words, which outputs may well hold. */
const SHORTEST_KEY = 8;

/** Every value of the environment that must not be shown: what tools, providers, callers, MCP servers and webhooks have. */
export function knownSecrets(settings: Settings, env: Env, toolSecrets: ToolSecrets): string[] {
  const providers = Object.values(readExtraProviders(env, [])).map((provider) => provider.api_key ?? '');
  const builtIn = Object.entries(env).map(([name, value = '']) => (name.endsWith('_API_KEY') ? value : ''));
  const callers = listed(settings.PAWL_API_KEYS).map((entry) => entry.slice(entry.indexOf(':') + 1));
  const webhooks = listed(settings.PAWL_WEBHOOK_SECRET).map((secret) => secret.replace(/^whsec_/, ''));
  const servers = [...readMcpServers(settings.PAWL_MCP).values()].flatMap(keysOf);
  const keys = [...providers, ...builtIn, ...callers, ...webhooks, ...servers].map((key) => key.trim());
  const values = [...toolSecrets.values()].map(({ value }) => value);
  return [...values, ...keys.filter((key) => key.length >= SHORTEST_KEY)];
}

/** What stands in headers or variables that are named like it; of `Bearer …` each word. */
function keysOf(server: McpServerConfig): string[] {
  const given = Object.entries('url' in server ? server.headers : server.env);
  const named = given.filter(([name]) => /auth|key|token|secret|password|cookie/i.test(name));
  return named.flatMap(([, value]) => value.split(/\s+/));
}

function listed(text = ''): string[] {
  return text.split(',').map((entry) => entry.trim());
}
