import { Misconfigured } from '../../failure.ts';
import { aiSdkProvider } from '../ai-sdk/ai-sdk-provider.ts';
import type { LoadedPackages } from '../ai-sdk/package/load-packages.ts';
import { type AnthropicOptions, anthropicProvider } from '../anthropic/anthropic-provider.ts';
import { anthropicBatches } from '../batches/anthropic/anthropic-batches.ts';
import type { BatchServer } from '../batches/batch-server.ts';
import { geminiBatches } from '../batches/gemini/gemini-batches.ts';
import { type OpenaiBatches, openaiBatches } from '../batches/openai/openai-batches.ts';
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

/** The common options of each wire's provider. `hasBatches` is false for a server without a batch API. */
export type Options = Omit<HttpServer, 'post'> & { baseUrl: string; urlName: string; hasBatches: boolean };
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
  const givenVersion = env.GOOGLE_GENAI_API_VERSION?.trim();
  const atServer = (provider: Provider, options: Options, batches: () => BatchServer): Provider => ({
    ...withOwnState(provider, options.baseUrl),
    ...serverField(options.baseUrl),
    ...(options.hasBatches ? { batches: batches() } : {}),
  });
  const atOpenai = (provider: Provider, options: Options, endpoint: OpenaiBatches['endpoint']) =>
    atServer(provider, options, () =>
      openaiBatches({ server: { ...options, post }, endpoint, place: options.baseUrl }),
    );
  return {
    openai: (options) => atOpenai(openaiProvider({ ...options, post }), options, CHAT),
    responses: (options) => atOpenai(openaiResponsesProvider({ ...options, post }), options, RESPONSES),
    anthropic(given) {
      const options: AnthropicOptions = { ...given, post, customHeaders };
      return atServer(anthropicProvider(options), given, () => anthropicBatches(options));
    },
    gemini(given) {
      const options = { ...given, post };
      const provider = geminiProvider({ ...options, apiVersion: givenVersion || 'v1' });
      return atServer(provider, given, () => geminiBatches({ ...options, apiVersion: givenVersion || 'v1beta' }));
    },
    package: ({ name, options, headers }) => {
      const make = packages.get(name);
      if (!make) throw new Misconfigured(`PAWL_PROVIDERS.${name}: its package was not loaded`);
      const made = withOwnState(aiSdkProvider({ name, make, options, headers, post, fetch, env }), placeOf(options));
      return { ...made, ...serverField(String(options.baseURL ?? '')) };
    },
    simulated: () => simulatedProviders(post, () => sim.baseUrl()),
  };
}

/** The simulator's port changes with each process. Its state and its batches do not, so they have no address. */
function simulatedProviders(post: Client['post'], baseUrl: () => Promise<string>): Provider[] {
  const serverOf = (name: string) => ({ name, apiKey: null, baseUrl, post });
  const [chat, responses] = [serverOf('sim'), serverOf('sim-responses')];
  return [
    {
      ...withOwnState(openaiProvider(chat), ''),
      batches: openaiBatches({ server: chat, endpoint: CHAT, place: chat.name }),
    },
    {
      ...withOwnState(openaiResponsesProvider({ ...responses, promptCache: true }), ''),
      batches: openaiBatches({ server: responses, endpoint: RESPONSES, place: responses.name }),
    },
  ];
}

const [CHAT, RESPONSES] = ['/v1/chat/completions', '/v1/responses'] as const;

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
