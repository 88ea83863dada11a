import { RequestRefused } from '../failure.ts';
import { readProxies } from '../proxy.ts';
import { quote } from '../text.ts';
import { type LoadedPackages, loadPackages } from './ai-sdk/package/load-packages.ts';
import { bounded } from './bounded.ts';
import { makeHttpClient } from './http/http-client.ts';
import { builtIn, type Configured } from './make/built-in.ts';
import { type Makers, makersOf } from './make/makers.ts';
import { type ProviderConfig, readBounds, readExtraProviders, readTimeoutLimit } from './make/provider-config.ts';
import type { Capabilities, KeptResponses, Provider } from './provider.ts';
import { splitModel } from './split-model.ts';
import { withWireNames } from './wire-tools/with-wire-names.ts';
import type { TwoWires, Wires } from './wires.ts';

type Env = Record<string, string | undefined>;

export type Providers = {
  names: string[];
  has(name: string): boolean;
  /**
   * Returns the provider of that name, over the wire of the turn. Throws a `RequestRefused` 400
   * `provider_not_configured` if there is none.
   */
  find(name: string, wires?: Wires): Provider;
  /** Returns the provider of a model, as `provider/model`. */
  ofModel(model: string, wires?: Wires): Provider;
  /** Returns the responses that the server of a provider keeps, if it keeps any. */
  responsesOf(name: string): KeptResponses | undefined;
  /** Returns how a provider with two wires chooses its wire, or null for any other provider. */
  twoWires(name: string): TwoWires | null;
  list(): ({ name: string; background: boolean; batch: boolean } & Capabilities)[];
  /** The longest time that a turn may set for a request, in milliseconds. */
  timeoutLimitMs: number;
  close(): Promise<void>;
};

/** The settings that would configure a missing provider. */
const SETTINGS = new Map([
  ['openai', 'OPENAI_API_KEY'],
  ['anthropic', 'ANTHROPIC_API_KEY'],
  ['gemini', 'GEMINI_API_KEY'],
  ['xai', 'XAI_API_KEY'],
  ['ollama', 'OLLAMA_BASE_URL'],
  ['sim', ''],
  ['sim-responses', ''],
]);

/** Returns whether a name belongs to a built-in provider, even if it is not configured. */
export function isBuiltInProvider(name: string): boolean {
  return SETTINGS.has(name);
}

/** Returns whether a provider is the simulator, over one of its wires. */
export function isSimulated(name: string): boolean {
  return name === 'sim' || name === 'sim-responses';
}

/** Loads the packages in `PAWL_PROVIDERS`. A missing package or function is a `Misconfigured`. */
export async function loadProviderPackages(env: Env): Promise<LoadedPackages> {
  const named = Object.entries(readExtraProviders(env, [...SETTINGS.keys()])).flatMap(([name, config]) =>
    config.kind === 'ai-sdk' ? [{ name, module: config.module, exported: config.export }] : [],
  );
  return loadPackages(named);
}

/**
 * Returns the providers that the environment configures, each within its bounds. `sim` is always present. The first
 * call asks for its address, which starts the simulator. An unusable setting is a `Misconfigured`.
 */
export function configureProviders(
  env: Env,
  sim: { baseUrl(): Promise<string> },
  packages: LoadedPackages = new Map(),
): Providers {
  const client = makeHttpClient(readProxies(env));
  const bounds = readBounds(env);
  const timeoutLimitMs = readTimeoutLimit(env);
  const makers = makersOf(env, { client, packages, sim });
  const simulated = makers.simulated().map((provider): Configured => ({ provider }));
  const configured = [...builtIn(env, makers), ...simulated, ...extra(env, makers)];
  const finished = (provider: Provider) => bounded(withWireNames(provider), bounds);
  const chats = new Map(configured.map(({ provider }) => [provider.name, finished(provider)]));
  const twos = new Map(configured.flatMap(({ provider, two }) => (two ? [[provider.name, two]] : [])));
  const responses = new Map([...twos].map(([name, { responses: provider }]) => [name, finished(provider)]));
  const names = [...chats.keys()];
  const find: Providers['find'] = (name, wires) =>
    (wires?.[name] && responses.get(name)) || (chats.get(name) ?? refuse(name, names));
  return {
    names,
    has: (name) => chats.has(name),
    find,
    ofModel: (model, wires) => find(splitModel(model).provider, wires),
    responsesOf: (name) => (responses.get(name) ?? chats.get(name))?.responses,
    twoWires: (name) => twos.get(name)?.wires ?? null,
    list: () =>
      names.map((name) => {
        const asked = twos.get(name)?.wires.isResponses ? responses.get(name) : chats.get(name);
        const provider = asked ?? find(name);
        const background = provider.responses?.isOn ?? false;
        return { name, ...provider.capabilities, background, batch: provider.batches !== undefined };
      }),
    timeoutLimitMs,
    close: client.close,
  };
}

function extra(env: Env, makers: Makers): Configured[] {
  return Object.entries(readExtraProviders(env, [...SETTINGS.keys()])).map(([name, config]) => {
    const provider = makeExtra(name, config, makers);
    const capabilities = {
      ...provider.capabilities,
      ...(config.tools ? {} : { tools: false, parallel_tool_calls: false, hosted_tools: [] }),
      ...(config.structured_outputs ? {} : { structured_outputs: false }),
    };
    return { provider: { ...provider, capabilities, allowedHeaders: config.allowed_headers } };
  });
}

function makeExtra(name: string, config: ProviderConfig, makers: Makers): Provider {
  if (config.kind === 'ai-sdk') return makers.package({ name, options: config.options, headers: config.headers });
  const names = { name, keyName: `PAWL_PROVIDERS.${name}.api_key`, urlName: `PAWL_PROVIDERS.${name}.base_url` };
  const { base_url: baseUrl, api_key: apiKey = null, finish_reasons: finishReasons, headers, batch } = config;
  const options = { ...names, apiKey, baseUrl, finishReasons, headers, hasBatches: batch };
  if (config.kind === 'gemini') return makers.gemini(options);
  if (config.kind === 'anthropic') return makers.anthropic({ ...options, promptCache: config.prompt_cache });
  if (config.kind === 'openai-responses') {
    const chatSetting = `"kind": "openai" in PAWL_PROVIDERS.${name}`;
    const { prompt_cache: promptCache, background } = config;
    return makers.responses({ ...options, promptCache, background, chatSetting });
  }
  const { max_tokens_field: maxTokensField, stream_options: streamOptions, prompt_cache: cacheKey, roles } = config;
  return makers.openai({ ...options, maxTokensField, streamOptions, cacheKey, roles });
}

function refuse(name: string, names: string[]): never {
  const setting = SETTINGS.get(name);
  const hint = setting ? `Set ${setting}` : 'Add it to PAWL_PROVIDERS';
  const message = `The provider ${quote(name)} is not configured. ${hint}, or use one of: ${names.join(', ')}.`;
  throw new RequestRefused(400, 'provider_not_configured', message, 'model');
}
