import { afterAll, beforeAll } from 'vitest';
import { configureProviders, loadProviderPackages } from '#core/llm/providers.ts';
import type { Reply } from '#core/turn/reply.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { type Answer, startWireServer } from '#test/llm/wire-server.ts';

/** The wires on which a gateway may quote another server. */
export const WIRES = ['openai', 'responses', 'anthropic', 'gemini', 'pack'] as const;
/** The wires with answers that Pawl reads itself. */
export const OWN_WIRES = ['openai', 'responses', 'anthropic', 'gemini'] as const;
export type Wire = (typeof WIRES)[number];

export const KEY = 'top-secret-key';

type Answered = Partial<Reply> & { code?: string; message?: string };

/** Opens one provider of each wire at one scripted server, for the tests of one file. */
export function prepareWires() {
  let opened: Awaited<ReturnType<typeof openWires>>;
  beforeAll(async () => {
    opened = await openWires();
  });
  afterAll(() => opened[Symbol.asyncDispose]());
  const ask = (wire: Wire, answer: Answer) => opened.ask(wire, answer);
  return {
    ask,
    async codesOf(status: number, body: object) {
      const codes: [string, string | undefined][] = [];
      for (const wire of WIRES) codes.push([wire, (await ask(wire, refused(status, body))).code]);
      return Object.fromEntries(codes);
    },
  };
}

async function openWires() {
  const server = await startWireServer();
  const { origin } = server;
  const env = {
    OPENAI_API_KEY: KEY,
    OPENAI_BASE_URL: `${origin}/v1`,
    ANTHROPIC_API_KEY: KEY,
    ANTHROPIC_BASE_URL: origin,
    GEMINI_API_KEY: KEY,
    GEMINI_BASE_URL: origin,
    PAWL_PROVIDERS: JSON.stringify({
      responses: { kind: 'openai-responses', base_url: `${origin}/v1`, api_key: KEY },
      pack: {
        ...{ kind: 'ai-sdk', module: '@ai-sdk/mistral', export: 'createMistral' },
        options: { baseURL: `${origin}/v1`, apiKey: KEY },
      },
    }),
  };
  const nowhere = { baseUrl: () => Promise.reject(new Error('no simulator')) };
  const providers = configureProviders(env, nowhere, await loadProviderPackages(env));
  return {
    async ask(wire: Wire, answer: Answer): Promise<Answered> {
      server.answer(answer);
      const asking = providers.find(wire).ask(someRequest, new AbortController().signal, () => {});
      return await asking.catch((error) => error);
    },
    async [Symbol.asyncDispose]() {
      await providers.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

export function refused(status: number, body: unknown): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: [JSON.stringify(body)] };
}

export function onEach<Value>(wires: readonly Wire[], value: Value): Partial<Record<Wire, Value>> {
  return Object.fromEntries(wires.map((wire) => [wire, value]));
}
