import { Misconfigured } from '../../failure.ts';
import { aiSdkProvider } from '../ai-sdk/ai-sdk-provider.ts';
import type { LoadedPackages } from '../ai-sdk/package/load-packages.ts';
import { anthropicProvider } from '../anthropic/anthropic-provider.ts';
import { geminiProvider } from '../gemini/gemini-provider.ts';
import type { makeHttpClient } from '../http/http-client.ts';
import type { HttpServer } from '../http/http-provider.ts';
import type { HeadersByName } from '../http/merge-headers.ts';
import { openaiProvider } from '../openai/openai-provider.ts';
import type { Quirks } from '../openai/render-request.ts';
import { openaiResponsesProvider, type ResponsesOptions } from '../openai-responses/openai-responses-provider.ts';
import type { Provider } from '../provider.ts';
import { withOwnState } from '../refusals/with-own-state.ts';
import { readHeaders } from './provider-config.ts';

type Env = Record<string, string | undefined>;

/** The common options of each wire's provider. */
export type Options = Omit<HttpServer, 'post'> & { baseUrl: string; urlName: string };
type MakeProvider<More = object> = (options: Options & More) => Provider;

/** A function for each wire that makes a provider. */
export type Makers = {
  openai: MakeProvider<Partial<Quirks>>;
  responses: MakeProvider<Pick<ResponsesOptions, 'promptCache' | 'background'> & { chatSetting: string }>;
  anthropic: MakeProvider<{ promptCache?: boolean }>;
  gemini: MakeProvider;
  package: (options: { name: string; options: Record<string, unknown>; headers: HeadersByName }) => Provider;
  simulated: () => Provider[];
};

type Client = Pick<ReturnType<typeof makeHttpClient>, 'post' | 'fetch'>;
type Simulator = { baseUrl(): Promise<string> };
type MakerContext = { client: Client; packages: LoadedPackages; sim: Simulator };

/** Returns the functions that make providers, each with separate state. An unusable setting is a `Misconfigured`. */
export function makersOf(env: Env, { client: { post, fetch }, packages, sim }: MakerContext): Makers {
  const customHeaders = readHeaders(env, 'ANTHROPIC_CUSTOM_HEADERS');
  const apiVersion = env.GOOGLE_GENAI_API_VERSION?.trim() || 'v1';
  const baseUrl = () => sim.baseUrl();
  return {
    openai: (options) => atServer(openaiProvider({ ...options, post }), options.baseUrl),
    responses: (options) => atServer(openaiResponsesProvider({ ...options, post }), options.baseUrl),
    anthropic: (options) => atServer(anthropicProvider({ ...options, post, customHeaders }), options.baseUrl),
    gemini: (options) => atServer(geminiProvider({ ...options, post, apiVersion }), options.baseUrl),
    package: ({ name, options, headers }) => {
      const make = packages.get(name);
      if (!make) throw new Misconfigured(`PAWL_PROVIDERS.${name}: its package was not loaded`);
      const made = withOwnState(aiSdkProvider({ name, make, options, headers, post, fetch, env }), placeOf(options));
      return { ...made, ...serverField(String(options.baseURL ?? '')) };
    },
    // The simulator's port changes with each process, and its state does not.
    simulated: () => [
      withOwnState(openaiProvider({ name: 'sim', apiKey: null, baseUrl, post }), ''),
      withOwnState(
        openaiResponsesProvider({ name: 'sim-responses', apiKey: null, baseUrl, post, promptCache: true }),
        '',
      ),
    ],
  };
}

/** Returns the provider with its server's address. It gets only the state of this server back. */
function atServer(provider: Provider, baseUrl: string): Provider {
  return { ...withOwnState(provider, baseUrl), ...serverField(baseUrl) };
}

function serverField(baseUrl: string): Pick<Provider, 'server'> {
  const url = URL.parse(baseUrl);
  if (!url) return {};
  const port = Number(url.port) || (url.protocol === 'http:' ? 80 : 443);
  return { server: { address: url.hostname, port } };
}

/** Returns the options that identify a package's server. */
function placeOf({ baseURL, resourceName, region, project, location }: Record<string, unknown>): string {
  return JSON.stringify([baseURL, resourceName, region, project, location]);
}
