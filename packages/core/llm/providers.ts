import { RequestRefused } from '../failure.ts';
import { bounded } from './bounded.ts';
import { type OpenaiOptions, openaiProvider } from './openai/openai-provider.ts';
import { patientFetch } from './patient-fetch.ts';
import type { Capabilities, Provider } from './provider.ts';
import { readBaseUrl, readBounds, readExtraProviders } from './provider-settings.ts';

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
  const { fetch, close } = patientFetch();
  const bounds = readBounds(env);
  const configured = [...builtIn(env), { name: 'sim', apiKey: null, baseUrl: () => sim.baseUrl() }, ...extra(env)];
  const providers = new Map(
    configured.map((options) => [options.name, bounded(openaiProvider({ ...options, fetch }), bounds)]),
  );
  return {
    names: [...providers.keys()],
    has: (name) => providers.has(name),
    find: (name) => providers.get(name) ?? refuse(name, [...providers.keys()]),
    list: () => [...providers.values()].map(({ name, capabilities }) => ({ name, ...capabilities })),
    close,
  };
}

function builtIn(env: Env): OpenaiOptions[] {
  const openai = readBaseUrl(env, 'OPENAI_BASE_URL', 'https://api.openai.com/v1');
  const xai = readBaseUrl(env, 'XAI_BASE_URL', 'https://api.x.ai/v1');
  const ollama = readBaseUrl(env, 'OLLAMA_BASE_URL', null);
  return [
    ...keyed(env, 'OPENAI_API_KEY', { name: 'openai', baseUrl: openai, maxTokensField: 'max_completion_tokens' }),
    ...keyed(env, 'XAI_API_KEY', { name: 'xai', baseUrl: xai }),
    ...(ollama ? [{ name: 'ollama', apiKey: null, baseUrl: ollama }] : []),
  ];
}

function keyed(env: Env, keyName: string, options: Omit<OpenaiOptions, 'apiKey'>): OpenaiOptions[] {
  const apiKey = env[keyName]?.trim();
  return apiKey ? [{ ...options, apiKey, keyName }] : [];
}

function extra(env: Env): OpenaiOptions[] {
  return Object.entries(readExtraProviders(env, [...SETTINGS.keys()])).map(([name, { base_url, api_key }]) => ({
    name,
    apiKey: api_key ?? null,
    baseUrl: base_url,
    keyName: `PAWL_PROVIDERS.${name}.api_key`,
  }));
}

function refuse(name: string, names: string[]): never {
  const setting = SETTINGS.get(name);
  const hint = setting ? `Set ${setting}` : 'Add it to PAWL_PROVIDERS';
  const message = `The provider "${name}" is not configured. ${hint}, or use one of: ${names.join(', ')}.`;
  throw new RequestRefused(400, 'provider_not_configured', message, 'model');
}
