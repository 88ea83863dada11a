import { RequestRefused } from '../failure.ts';
import { quote } from '../text.ts';
import { anthropicProvider } from './anthropic/anthropic-provider.ts';
import { bounded } from './bounded.ts';
import { geminiProvider } from './gemini/gemini-provider.ts';
import { type ModelFetch, modelFetch } from './model-fetch.ts';
import { openaiProvider } from './openai/openai-provider.ts';
import type { Capabilities, Provider } from './provider.ts';
import { readBaseUrl } from './read-base-url.ts';
import { readBounds } from './read-bounds.ts';
import { readExtraProviders, type WireKind } from './read-extra-providers.ts';

type Env = Record<string, string | undefined>;

/** The providers this process can ask. */
export type Providers = {
  names: string[];
  has(name: string): boolean;
  /** The provider of that name; a `RequestRefused` 400 `provider_not_configured` where there is none. */
  find(name: string): Provider;
  list(): ({ name: string } & Capabilities)[];
  close(): Promise<void>;
};

/** What a caller should set who names a provider that is not there. */
const SETTINGS = new Map([
  ['openai', 'OPENAI_API_KEY'],
  ['anthropic', 'ANTHROPIC_API_KEY'],
  ['gemini', 'GEMINI_API_KEY'],
  ['xai', 'XAI_API_KEY'],
  ['ollama', 'OLLAMA_BASE_URL'],
  ['sim', ''],
]);

/**
 * The providers the environment configures, each within its bounds. `sim` is always there; its address is asked for
 * at the first call, which starts the simulator. Settings that cannot work are a `Misconfigured`.
 */
export function configureProviders(env: Env, sim: { baseUrl(): Promise<string> }): Providers {
  const { fetch, close } = modelFetch();
  const bounds = readBounds(env);
  const simulator = openaiProvider({ name: 'sim', apiKey: null, baseUrl: () => sim.baseUrl(), fetch });
  const configured = [...builtIn(env, fetch), simulator, ...extra(env, fetch)];
  const providers = new Map(configured.map((provider) => [provider.name, bounded(provider, bounds)]));
  return {
    names: [...providers.keys()],
    has: (name) => providers.has(name),
    find: (name) => providers.get(name) ?? refuse(name, [...providers.keys()]),
    list: () => [...providers.values()].map(({ name, capabilities }) => ({ name, ...capabilities })),
    close,
  };
}

/** What is the same for each wire's provider; a wire may take more. */
type Options = { name: string; apiKey: string | null; keyName?: string; baseUrl: string; fetch: ModelFetch };
type MakeProvider = (options: Options) => Provider;

function builtIn(env: Env, fetch: ModelFetch): Provider[] {
  const openai = readBaseUrl(env, 'OPENAI_BASE_URL', 'https://api.openai.com/v1');
  const anthropic = readBaseUrl(env, 'ANTHROPIC_BASE_URL', 'https://api.anthropic.com');
  const gemini = readBaseUrl(env, 'GEMINI_BASE_URL', 'https://generativelanguage.googleapis.com');
  const xai = readBaseUrl(env, 'XAI_BASE_URL', 'https://api.x.ai/v1');
  const ollama = readBaseUrl(env, 'OLLAMA_BASE_URL', null);
  const keyed = (keyName: string, options: { name: string; baseUrl: string }, make: MakeProvider): Provider[] => {
    const apiKey = env[keyName]?.trim();
    return apiKey ? [make({ ...options, apiKey, keyName, fetch })] : [];
  };
  return [
    ...keyed('OPENAI_API_KEY', { name: 'openai', baseUrl: openai }, openaiItself),
    ...keyed('ANTHROPIC_API_KEY', { name: 'anthropic', baseUrl: anthropic }, anthropicProvider),
    ...keyed('GEMINI_API_KEY', { name: 'gemini', baseUrl: gemini }, geminiProvider),
    ...keyed('XAI_API_KEY', { name: 'xai', baseUrl: xai }, openaiProvider),
    ...(ollama ? [openaiProvider({ name: 'ollama', apiKey: null, baseUrl: ollama, fetch })] : []),
  ];
}

function openaiItself(options: Options): Provider {
  return openaiProvider({ ...options, maxTokensField: 'max_completion_tokens' });
}

/** Who speaks the wire that `PAWL_PROVIDERS` names as `kind`. */
const MAKERS: Record<WireKind, MakeProvider> = {
  openai: openaiProvider,
  anthropic: anthropicProvider,
  gemini: geminiProvider,
};

function extra(env: Env, fetch: ModelFetch): Provider[] {
  return Object.entries(readExtraProviders(env, [...SETTINGS.keys()])).map(([name, { kind, tools, ...options }]) => {
    const keyName = `PAWL_PROVIDERS.${name}.api_key`;
    const provider = MAKERS[kind]({ name, apiKey: options.api_key ?? null, baseUrl: options.base_url, keyName, fetch });
    return tools ? provider : withoutTools(provider);
  });
}

/** A provider that is said to know no tool calls of its own. */
function withoutTools(provider: Provider): Provider {
  return { ...provider, capabilities: { ...provider.capabilities, tools: false, parallel_tool_calls: false } };
}

function refuse(name: string, names: string[]): never {
  const setting = SETTINGS.get(name);
  const hint = setting ? `Set ${setting}` : 'Add it to PAWL_PROVIDERS';
  const message = `The provider ${quote(name)} is not configured. ${hint}, or use one of: ${names.join(', ')}.`;
  throw new RequestRefused(400, 'provider_not_configured', message, 'model');
}
