import type { LanguageModelV3CallOptions, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { aiSdkProvider } from '#core/llm/ai-sdk/ai-sdk-provider.ts';
import type { StreamPart } from '#core/llm/ai-sdk/reply/reply-accumulator.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import type { Delta, RoundRequest } from '#core/llm/provider.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

const { post } = makeHttpClient();
const signal = new AbortController().signal;

type Call = LanguageModelV3CallOptions | LanguageModelV4CallOptions;
/** `refusal` is the error of the first call. */
type Script = { version?: 'v3' | 'v4'; supportedUrls?: Record<string, RegExp[]>; refusal?: Error };

export const finished = (unified: 'stop' | 'tool-calls' | 'length' = 'stop'): StreamPart => ({
  type: 'finish',
  finishReason: { unified, raw: unified },
  usage: {
    inputTokens: { total: 11, noCache: 7, cacheRead: 4, cacheWrite: undefined },
    outputTokens: { total: 7, text: 5, reasoning: 2 },
  },
});

/** Makes a provider of a package with models that answer these parts. Records the calls of the models. */
export function scriptedPackage(parts: StreamPart[], { version = 'v4', supportedUrls = {}, refusal }: Script = {}) {
  const called: Call[] = [];
  const model = {
    ...{ specificationVersion: version, provider: 'acme', modelId: 'm', supportedUrls },
    async doStream(call: Call) {
      called.push(call);
      if (refusal && called.length === 1) throw refusal;
      return { stream: ReadableStream.from(parts) };
    },
  };
  const make = () => ({ specificationVersion: version, languageModel: () => model });
  const provider = aiSdkProvider({ name: 'acme', make, options: {}, post });
  const ask = async (change: Partial<RoundRequest> = {}) => {
    const deltas: Delta[] = [];
    const reply = await provider.ask({ ...someRequest, ...change }, signal, (delta) => deltas.push(delta));
    return { reply, deltas };
  };
  return { ask, called };
}
