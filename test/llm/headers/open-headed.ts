import { configureProviders, loadProviderPackages } from '#core/llm/providers.ts';
import { mistralWire } from '#test/llm/ai-sdk/mistral-wire.ts';
import { anthropicWire } from '#test/llm/anthropic-wire.ts';
import { geminiWire } from '#test/llm/gemini-wire.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { responsesWire } from '#test/llm/responses-wire.ts';
import type { WireScript } from '#test/llm/wire-script.ts';
import { startWireServer } from '#test/llm/wire-server.ts';

type Wire = { kind: string; wire: WireScript; entry(origin: string): object };

const local = (kind: string, wire: WireScript, path = ''): Wire => ({
  ...{ kind, wire },
  entry: (origin) => ({ kind, base_url: origin + path, api_key: 'the-key-of-the-server' }),
});

export const KINDS: Wire[] = [
  local('openai', openaiWire, '/v1'),
  local('openai-responses', responsesWire, '/v1'),
  local('anthropic', anthropicWire),
  local('gemini', geminiWire),
  {
    ...{ kind: 'ai-sdk', wire: mistralWire },
    entry: (origin) => ({
      ...{ kind: 'ai-sdk', module: '@ai-sdk/mistral', export: 'createMistral' },
      options: { apiKey: 'the-key-of-the-server', baseURL: `${origin}/v1` },
    }),
  },
];

const sim = { baseUrl: () => Promise.reject(new Error('the simulator was asked')) };

/** Opens a provider `own` of that kind with these settings, at a scripted server that answers with a greeting. */
export async function openHeaded({ wire, entry }: Wire, settings: object = {}, env: Record<string, string> = {}) {
  const server = await startWireServer({ body: wire.reply({ text: ['Hi.'] }) });
  const given = { ...env, PAWL_PROVIDERS: JSON.stringify({ own: { ...entry(server.origin), ...settings } }) };
  const providers = configureProviders(given, sim, await loadProviderPackages(given));
  return {
    ...{ server, provider: providers.find('own') },
    async [Symbol.asyncDispose]() {
      await providers.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
