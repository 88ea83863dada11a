import { Misconfigured, RequestRefused } from '../failure.ts';
import { readProxies } from '../proxy.ts';
import { quote } from '../text.ts';
import type { FinishReason } from '../turn/reply.ts';
import { aiSdkProvider } from './ai-sdk/ai-sdk-provider.ts';
import { loadPackages, type MakePackage } from './ai-sdk/package/load-packages.ts';
import { anthropicProvider } from './anthropic/anthropic-provider.ts';
import { bounded } from './bounded.ts';
import { geminiProvider } from './gemini/gemini-provider.ts';
import { makeHttpClient } from './http/http-client.ts';
import { openaiProvider } from './openai/openai-provider.ts';
import type { Quirks } from './openai/render-request.ts';
import type { Capabilities, Provider } from './provider.ts';
import { type ProviderConfig, readBaseUrl, readBounds, readExtraProviders, readHeaders } from './provider-config.ts';
import { withWireNames } from './wire-tools/with-wire-names.ts';

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

/** What an operator should set for a provider that a caller names and that is not there. */
const SETTINGS = new Map([
  ['openai', 'OPENAI_API_KEY'],
  ['anthropic', 'ANTHROPIC_API_KEY'],
  ['gemini', 'GEMINI_API_KEY'],
  ['xai', 'XAI_API_KEY'],
  ['ollama', 'OLLAMA_BASE_URL'],
  ['sim', ''],
]);

/** Whether a provider is named so wherever Pawl runs, also where it is not configured. */
export function isBuiltInProvider(name: string): boolean {
  return SETTINGS.has(name);
}

/** The packages that providers of `PAWL_PROVIDERS` are made with, by the names of these providers. */
export type LoadedPackages = ReadonlyMap<string, MakePackage>;

/** Loads the packages that `PAWL_PROVIDERS` names; one that is not there, or lacks its function, is a `Misconfigured`. */
export async function loadProviderPackages(env: Env): Promise<LoadedPackages> {
  const named = Object.entries(readExtraProviders(env, [...SETTINGS.keys()])).flatMap(([name, config]) =>
    config.kind === 'ai-sdk' ? [{ name, module: config.module, exported: config.export }] : [],
  );
  return loadPackages(named);
}

/**
 * The providers the environment configures, each within its bounds. `sim` is always there; its address is asked for
 * at the first call, which starts the simulator. Settings that cannot work are a `Misconfigured`.
 */
export function configureProviders(
  env: Env,
  sim: { baseUrl(): Promise<string> },
  packages: LoadedPackages = new Map(),
): Providers {
  const client = makeHttpClient(readProxies(env));
  const { post, close } = client;
  const bounds = readBounds(env);
  const simulator = openaiProvider({ name: 'sim', apiKey: null, baseUrl: () => sim.baseUrl(), post });
  const makers = makersOf(env, client, packages);
  const configured = [...builtIn(env, makers), simulator, ...extra(env, makers)];
  const providers = new Map(configured.map((provider) => [provider.name, bounded(withWireNames(provider), bounds)]));
  return {
    names: [...providers.keys()],
    has: (name) => providers.has(name),
    find: (name) => providers.get(name) ?? refuse(name, [...providers.keys()]),
    list: () => [...providers.values()].map(({ name, capabilities }) => ({ name, ...capabilities })),
    close,
  };
}

/** What is the same for each wire's provider; a wire may take more. */
type Options = {
  name: string;
  apiKey: string | null;
  keyName?: string;
  urlName: string;
  baseUrl: string;
  finishReasons?: ReadonlyMap<string, FinishReason>;
};
type MakeProvider<More = object> = (options: Options & More) => Provider;

/** For each wire what makes a provider that speaks it; OpenAI itself differs from others on its wire. */
type Makers = Record<'gemini' | 'openaiItself', MakeProvider> & {
  openai: MakeProvider<Partial<Quirks>>;
  anthropic: MakeProvider<{ promptCache?: boolean }>;
  package: MakePackaged;
};
type MakePackaged = (options: { name: string; options: Record<string, unknown> }) => Provider;

type Client = Pick<ReturnType<typeof makeHttpClient>, 'post' | 'fetch'>;

function makersOf(env: Env, { post, fetch }: Client, packages: LoadedPackages): Makers {
  const headers = readHeaders(env, 'ANTHROPIC_CUSTOM_HEADERS');
  const apiVersion = env.GOOGLE_GENAI_API_VERSION?.trim() || 'v1';
  return {
    openai: (options) => openaiProvider({ ...options, post }),
    openaiItself: (options) =>
      openaiProvider({ ...options, post, cacheKey: true, maxTokensField: 'max_completion_tokens' }),
    anthropic: (options) => anthropicProvider({ ...options, post, headers }),
    gemini: (options) => geminiProvider({ ...options, post, apiVersion }),
    package: ({ name, options }) => {
      const make = packages.get(name);
      if (!make) throw new Misconfigured(`PAWL_PROVIDERS.${name}: its package was not loaded`);
      return aiSdkProvider({ name, make, options, post, fetch, env });
    },
  };
}

function builtIn(env: Env, makers: Makers): Provider[] {
  const openai = readBaseUrl(env, 'OPENAI_BASE_URL', 'https://api.openai.com/v1');
  const anthropic = readBaseUrl(env, 'ANTHROPIC_BASE_URL', 'https://api.anthropic.com');
  const gemini = readBaseUrl(env, 'GEMINI_BASE_URL', 'https://generativelanguage.googleapis.com');
  const xai = readBaseUrl(env, 'XAI_BASE_URL', 'https://api.x.ai/v1');
  const ollama = readBaseUrl(env, 'OLLAMA_BASE_URL', null);
  const keyed = (keyName: string, options: Omit<Options, 'apiKey'>, make: MakeProvider): Provider[] => {
    const apiKey = env[keyName]?.trim();
    return apiKey ? [make({ ...options, apiKey, keyName })] : [];
  };
  return [
    ...keyed('OPENAI_API_KEY', { name: 'openai', baseUrl: openai, urlName: 'OPENAI_BASE_URL' }, makers.openaiItself),
    ...keyed('ANTHROPIC_API_KEY', { name: 'anthropic', baseUrl: anthropic, urlName: 'ANTHROPIC_BASE_URL' }, (options) =>
      makers.anthropic({ ...options, promptCache: true }),
    ),
    ...keyed('GEMINI_API_KEY', { name: 'gemini', baseUrl: gemini, urlName: 'GEMINI_BASE_URL' }, makers.gemini),
    ...keyed('XAI_API_KEY', { name: 'xai', baseUrl: xai, urlName: 'XAI_BASE_URL' }, (options) =>
      makers.openai({ ...options, cacheKey: true }),
    ),
    ...(ollama ? [makers.openai({ name: 'ollama', apiKey: null, baseUrl: ollama, urlName: 'OLLAMA_BASE_URL' })] : []),
  ];
}

function extra(env: Env, makers: Makers): Provider[] {
  return Object.entries(readExtraProviders(env, [...SETTINGS.keys()])).map(([name, config]) => {
    const provider = makeExtra(name, config, makers);
    const known = config.structured_outputs ? provider : withoutStructuredOutputs(provider);
    return config.tools ? known : withoutTools(known);
  });
}

function makeExtra(name: string, config: ProviderConfig, makers: Makers): Provider {
  if (config.kind === 'ai-sdk') return makers.package({ name, options: config.options });
  const names = { name, keyName: `PAWL_PROVIDERS.${name}.api_key`, urlName: `PAWL_PROVIDERS.${name}.base_url` };
  const { base_url: baseUrl, api_key: apiKey = null, finish_reasons: finishReasons } = config;
  const options = { ...names, apiKey, baseUrl, finishReasons };
  if (config.kind === 'gemini') return makers.gemini(options);
  if (config.kind === 'anthropic') return makers.anthropic({ ...options, promptCache: config.prompt_cache });
  const { max_tokens_field: maxTokensField, stream_options: streamOptions, prompt_cache: cacheKey, roles } = config;
  return makers.openai({ ...options, maxTokensField, streamOptions, cacheKey, roles });
}

/** A provider that is said to know no tool calls of its own. */
function withoutTools(provider: Provider): Provider {
  return { ...provider, capabilities: { ...provider.capabilities, tools: false, parallel_tool_calls: false } };
}

/** A provider that is said not to hold replies to a schema. */
function withoutStructuredOutputs(provider: Provider): Provider {
  return { ...provider, capabilities: { ...provider.capabilities, structured_outputs: false } };
}

function refuse(name: string, names: string[]): never {
  const setting = SETTINGS.get(name);
  const hint = setting ? `Set ${setting}` : 'Add it to PAWL_PROVIDERS';
  const message = `The provider ${quote(name)} is not configured. ${hint}, or use one of: ${names.join(', ')}.`;
  throw new RequestRefused(400, 'provider_not_configured', message, 'model');
}
