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
import { openaiResponsesProvider } from './openai-responses/openai-responses-provider.ts';
import type { Capabilities, Provider } from './provider.ts';
import {
  type ProviderConfig,
  readBaseUrl,
  readBounds,
  readExtraProviders,
  readHeaders,
  readWire,
} from './provider-config.ts';
import { withOwnState } from './refusals/with-own-state.ts';
import { splitModel } from './split-model.ts';
import { withWireNames } from './wire-tools/with-wire-names.ts';
import { type TwoWires, twoWiresAt, type Wires } from './wires.ts';

type Env = Record<string, string | undefined>;

/** The providers this process can ask. */
export type Providers = {
  names: string[];
  has(name: string): boolean;
  /**
   * The provider of that name, over the wire that a turn chose for it; a `RequestRefused` 400 `provider_not_configured`
   * if there is none.
   */
  find(name: string, wires?: Wires): Provider;
  /** The same for a model, as `provider/model`. */
  ofModel(model: string, wires?: Wires): Provider;
  /** How a provider that speaks two wires chooses one; null for any other. */
  twoWires(name: string): TwoWires | null;
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
  ['sim-responses', ''],
]);

/** Whether a provider is named so wherever Pawl runs, also where it is not configured. */
export function isBuiltInProvider(name: string): boolean {
  return SETTINGS.has(name);
}

/** Whether a provider is the simulator, over one of its wires. */
export function isSimulated(name: string): boolean {
  return name === 'sim' || name === 'sim-responses';
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
  const bounds = readBounds(env);
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
    twoWires: (name) => twos.get(name)?.wires ?? null,
    list: () =>
      names.map((name) => {
        const provider = twos.get(name)?.wires.isResponses ? responses.get(name) : chats.get(name);
        return { name, ...(provider ?? find(name)).capabilities };
      }),
    close: client.close,
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

/** For each wire what makes a provider that speaks it. */
type Makers = {
  openai: MakeProvider<Partial<Quirks>>;
  responses: MakeProvider<{ promptCache?: boolean; chatSetting: string }>;
  anthropic: MakeProvider<{ promptCache?: boolean }>;
  gemini: MakeProvider;
  package: (options: { name: string; options: Record<string, unknown> }) => Provider;
  simulated: () => Provider[];
};

type Client = Pick<ReturnType<typeof makeHttpClient>, 'post' | 'fetch'>;
type Simulator = { baseUrl(): Promise<string> };
type MakerContext = { client: Client; packages: LoadedPackages; sim: Simulator };

function makersOf(env: Env, { client: { post, fetch }, packages, sim }: MakerContext): Makers {
  const headers = readHeaders(env, 'ANTHROPIC_CUSTOM_HEADERS');
  const apiVersion = env.GOOGLE_GENAI_API_VERSION?.trim() || 'v1';
  const baseUrl = () => sim.baseUrl();
  return {
    openai: (options) => withOwnState(openaiProvider({ ...options, post }), options.baseUrl),
    responses: (options) => withOwnState(openaiResponsesProvider({ ...options, post }), options.baseUrl),
    anthropic: (options) => withOwnState(anthropicProvider({ ...options, post, headers }), options.baseUrl),
    gemini: (options) => withOwnState(geminiProvider({ ...options, post, apiVersion }), options.baseUrl),
    package: ({ name, options }) => {
      const make = packages.get(name);
      if (!make) throw new Misconfigured(`PAWL_PROVIDERS.${name}: its package was not loaded`);
      return withOwnState(aiSdkProvider({ name, make, options, post, fetch, env }), placeOf(options));
    },
    // Its port changes with each process, and its state does not.
    simulated: () => [
      withOwnState(openaiProvider({ name: 'sim', apiKey: null, baseUrl, post }), ''),
      withOwnState(
        openaiResponsesProvider({ name: 'sim-responses', apiKey: null, baseUrl, post, promptCache: true }),
        '',
      ),
    ],
  };
}

/** What packages call the place of their server. */
function placeOf({ baseURL, resourceName, region, project, location }: Record<string, unknown>): string {
  return JSON.stringify([baseURL, resourceName, region, project, location]);
}

/** A provider, and how it is asked over Responses, if it speaks that beside its own wire. */
type Configured = { provider: Provider; two?: { responses: Provider; wires: TwoWires } };

/**
 * A built-in provider: its name, its base URL unless another is set, and the variables for its key and its base URL.
 */
type BuiltIn = { name: string; url: string; keyName: string; urlName: string };

const OPENAI = { name: 'openai', url: 'https://api.openai.com/v1' };
const ANTHROPIC = { name: 'anthropic', url: 'https://api.anthropic.com' };
const GEMINI = { name: 'gemini', url: 'https://generativelanguage.googleapis.com' };
const XAI = { name: 'xai', url: 'https://api.x.ai/v1' };

function builtIn(env: Env, makers: Makers): Configured[] {
  const keyed = ({ url, ...named }: BuiltIn, make: (options: Options) => Configured): Configured[] => {
    const baseUrl = readBaseUrl(env, named.urlName, url);
    const apiKey = env[named.keyName]?.trim();
    return apiKey ? [make({ ...named, apiKey, baseUrl })] : [];
  };
  const openai = overTwoWires('openai', 'OPENAI_WIRE', { env, makers });
  const xai = overTwoWires('xai', 'XAI_WIRE', { env, makers });
  const ollama = readBaseUrl(env, 'OLLAMA_BASE_URL', null);
  const ofOllama = { name: 'ollama', apiKey: null, urlName: 'OLLAMA_BASE_URL' };
  return [
    ...keyed({ ...OPENAI, keyName: 'OPENAI_API_KEY', urlName: 'OPENAI_BASE_URL' }, (own) =>
      openai(own, { maxTokensField: 'max_completion_tokens' }),
    ),
    ...keyed({ ...ANTHROPIC, keyName: 'ANTHROPIC_API_KEY', urlName: 'ANTHROPIC_BASE_URL' }, (own) => {
      return { provider: makers.anthropic({ ...own, promptCache: true }) };
    }),
    ...keyed({ ...GEMINI, keyName: 'GEMINI_API_KEY', urlName: 'GEMINI_BASE_URL' }, (own) => {
      return { provider: makers.gemini(own) };
    }),
    ...keyed({ ...XAI, keyName: 'XAI_API_KEY', urlName: 'XAI_BASE_URL' }, (own) => xai(own)),
    ...(ollama ? [{ provider: makers.openai({ ...ofOllama, baseUrl: ollama }) }] : []),
  ];
}

/** Makes providers that are asked over Chat Completions, or over Responses for the turns that chose that. */
function overTwoWires(name: 'openai' | 'xai', variable: string, { env, makers }: { env: Env; makers: Makers }) {
  const setting = readWire(env, variable);
  return (options: Options, quirks: Partial<Quirks> = {}): Configured => {
    const responses = makers.responses({ ...options, promptCache: true, chatSetting: `${variable}=chat` });
    const wires = twoWiresAt(name, { baseUrl: options.baseUrl, setting });
    return { provider: makers.openai({ ...options, ...quirks, cacheKey: true }), two: { responses, wires } };
  };
}

function extra(env: Env, makers: Makers): Configured[] {
  return Object.entries(readExtraProviders(env, [...SETTINGS.keys()])).map(([name, config]) => {
    const provider = makeExtra(name, config, makers);
    const known = config.structured_outputs ? provider : withoutStructuredOutputs(provider);
    return { provider: config.tools ? known : withoutTools(known) };
  });
}

function makeExtra(name: string, config: ProviderConfig, makers: Makers): Provider {
  if (config.kind === 'ai-sdk') return makers.package({ name, options: config.options });
  const names = { name, keyName: `PAWL_PROVIDERS.${name}.api_key`, urlName: `PAWL_PROVIDERS.${name}.base_url` };
  const { base_url: baseUrl, api_key: apiKey = null, finish_reasons: finishReasons } = config;
  const options = { ...names, apiKey, baseUrl, finishReasons };
  if (config.kind === 'gemini') return makers.gemini(options);
  if (config.kind === 'anthropic') return makers.anthropic({ ...options, promptCache: config.prompt_cache });
  if (config.kind === 'openai-responses') {
    const chatSetting = `"kind": "openai" in PAWL_PROVIDERS.${name}`;
    return makers.responses({ ...options, promptCache: config.prompt_cache, chatSetting });
  }
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
