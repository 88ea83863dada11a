import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { type CacheServer, startCacheServer } from '#test/llm/prompt-cache/cache-server.ts';
import {
  anthropicCacheWire,
  type CacheReply,
  type CacheWire,
  geminiCacheWire,
  olderResponsesCacheWire,
  openaiCacheWire,
  responsesCacheWire,
} from '#test/llm/prompt-cache/cache-wires.ts';
import { reportTools } from '#test/llm/prompt-cache/report-tools.ts';

export const anthropic = { wire: anthropicCacheWire, model: 'anthropic/claude-sonnet-5' };
/** A model that charges for cache writes, and an older model. */
export const openai = { wire: openaiCacheWire, model: 'openai/gpt-5.6' };
export const olderOpenai = { wire: openaiCacheWire, model: 'openai/gpt-4.1' };
/** The same two models over Responses. */
export const responses = { wire: responsesCacheWire, model: 'openai/gpt-5.6' };
export const olderResponses = { wire: olderResponsesCacheWire, model: 'openai/gpt-4.1' };
export const gemini = { wire: geminiCacheWire, model: 'gemini/gemini-2.5-flash' };
export type CachedModel = { wire: CacheWire; model: string };

const prices = { input: 3, cached_input: 0.3, cache_write: 3.75, cache_write_1h: 6, output: 15 };

/** Instructions of about 4,000 tokens, and tools that add another 4,000. */
export const longPrefix = { instructions: 'Answer in short sentences. '.repeat(600), tools: reportTools };

type Script = {
  reply?: (request: number, body: Record<string, unknown>) => CacheReply;
  unknownFields?: string[];
  env?: (origin: string) => Record<string, string>;
};

export type Cached = AsyncDisposable & {
  server: CacheServer;
  harness: Harness;
  run(request?: object, conversationId?: string | null): Promise<TurnResource>;
};

/** Opens Pawl with a model on a scripted server that caches prompts. By default the model answers at once. */
export async function openCached({ wire, model }: CachedModel, script: Script = {}): Promise<Cached> {
  const { reply = () => ({ text: 'Hello.' }), unknownFields = [], env } = script;
  const server = await startCacheServer(wire, { prices, reply, unknownFields });
  const name = (model.split('/')[0] ?? '').toUpperCase();
  const isResponses = wire.name === 'openai-responses';
  const harness = await createHarness({
    env: {
      ...{ [`${name}_BASE_URL`]: server.origin, [`${name}_API_KEY`]: 'none-at-all' },
      ...(isResponses ? { OPENAI_WIRE: 'responses' } : {}),
      PAWL_TOOLS: new URL('../../llm/prompt-cache/report-tools.ts', import.meta.url).pathname,
      PAWL_PRICES: JSON.stringify({ '*': prices }),
      ...env?.(server.origin),
    },
  });
  return {
    ...{ server, harness },
    run: async (request = {}, conversationId = null) => {
      const path = conversationId ? `/v1/conversations/${conversationId}/turns` : '/v1/turns';
      const { status, body } = await harness.call<TurnResource>('POST', path, {
        body: { model, input: 'Hello?', ...request },
      });
      if (status !== 202) throw new Error(`expected 202, got ${status}: ${JSON.stringify(body)}`);
      await harness.workUntilIdle();
      return harness.findTurn(body.id);
    },
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Calls tools in the requests before `last`, then answers. Each request has its own page and its own ids. */
export function callUntil(last: number, calls = 1): (request: number) => CacheReply {
  return (request) => {
    if (request >= last) return { text: 'The report is fine.' };
    const named = Array.from({ length: calls }, (_, index) => ({
      id: `call_${request}_${index}`,
      name: 'read_report_0',
      args: { page: request * 100 + index },
    }));
    return { thought: 'I need one more page.', text: 'Reading on.', calls: named };
  };
}
