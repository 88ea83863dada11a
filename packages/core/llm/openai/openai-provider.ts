import type { OpenAI } from 'openai';
import type { ChatCompletionCreateParamsStreaming as Body } from 'openai/resources/chat/completions';
import { ProviderFailed } from '../../failure.ts';
import type { Reply } from '../../turn/reply.ts';
import { callFetch, callOptions } from '../call-fetch.ts';
import type { ModelFetch } from '../model-fetch.ts';
import type { Asked } from '../name-failure.ts';
import { networkCode } from '../network-code.ts';
import type { Delta, Provider } from '../provider.ts';
import { type WatchedFetch, watchFetch } from '../watch-fetch.ts';
import { classifyErrorObject, classifyFailure } from './classify-failure.ts';
import { renderRequest, type Wire } from './render-request.ts';
import { finishReply, isFinished, startReply, takeChunk } from './reply-draft.ts';
import { shape } from './shape.ts';

export type OpenaiOptions = {
  name: string;
  /** Null for servers that want none; then no Authorization header is sent. */
  apiKey: string | null;
  /** What the SDK takes, ending in `/v1`; a function where it is known only at the first call. */
  baseUrl: string | (() => Promise<string>);
  fetch?: ModelFetch;
  /** Where the operator keeps the key, for the sentence that tells him to check it. */
  keyName?: string;
  /** OpenAI's newer models refuse `max_tokens`, most other servers know nothing else, which is the default. */
  maxTokensField?: Wire['maxTokensField'];
};

/** Asks a server that speaks OpenAI's Chat Completions, with the official SDK. One call, no retries, no bounds. */
export function openaiProvider(options: OpenaiOptions): Provider {
  const { name, maxTokensField = 'max_tokens' } = options;
  const client = lazyClient(options);
  return {
    name,
    capabilities: { wire: 'openai', streaming: true, tools: true, parallel_tool_calls: true, thinking: true },
    async ask(request, signal, onDelta) {
      signal.throwIfAborted();
      const { apiKey, keyName = `the key of ${name}` } = options;
      const asked: Asked = { provider: name, model: request.model, apiKey, keyName };
      const wire = watchFetch(options.fetch ?? globalThis.fetch, shape, signal);
      try {
        const body = renderRequest(request, { provider: name, maxTokensField });
        const chunks = await openStream(await client(), { body, wire, apiKey, requestId: request.requestId });
        return await readReply(chunks, { asked, wire, signal, onDelta });
      } catch (error) {
        signal.throwIfAborted();
        throw error instanceof ProviderFailed ? error : classifyFailure(error, asked);
      }
    },
  };
}

/** One client for all calls, loaded at the first; another only where the base URL has changed. */
function lazyClient({ apiKey, baseUrl }: OpenaiOptions): () => Promise<OpenAI> {
  let client: OpenAI | null = null;
  return async () => {
    const baseURL = typeof baseUrl === 'string' ? baseUrl : await baseUrl();
    if (client?.baseURL === baseURL) return client;
    const { OpenAI } = await import('openai');
    client = new OpenAI({
      apiKey: apiKey ?? 'none',
      // Named, so that the SDK does not look for them in the environment: they would go to other servers, too.
      adminAPIKey: null,
      organization: null,
      project: null,
      baseURL,
      fetch: callFetch,
      maxRetries: 0,
      timeout: 2 ** 31 - 1,
      logLevel: 'off',
    });
    return client;
  };
}

type Call = { body: Body; wire: WatchedFetch; apiKey: string | null; requestId: string };

function openStream(client: OpenAI, { body, wire, apiKey, requestId }: Call) {
  const headers = { 'X-Client-Request-Id': requestId, ...(apiKey === null ? { Authorization: null } : {}) };
  // `chat.completions.create` would copy each chunk once more, only to fill in what `takeChunk` can do without.
  return client.post<AsyncIterable<unknown>>('/chat/completions', {
    ...callOptions(wire.fetch),
    body,
    headers,
    stream: true,
  });
}

type Reading = { asked: Asked; wire: WatchedFetch; signal: AbortSignal; onDelta: (delta: Delta) => void };

async function readReply(chunks: AsyncIterable<unknown>, { asked, wire, signal, onDelta }: Reading): Promise<Reply> {
  const draft = startReply(asked.provider);
  try {
    for await (const chunk of chunks) {
      signal.throwIfAborted();
      if (isErrorObject(chunk)) throw classifyErrorObject(chunk, asked);
      for (const delta of takeChunk(draft, chunk)) onDelta(delta);
    }
  } catch (error) {
    // Nothing is missing from a finished reply whose connection broke, and half an event at the end is a cut.
    const isComplete = isFinished(draft) && error instanceof TypeError && networkCode(error) !== null;
    const isCut = error instanceof SyntaxError && wire.hasEnded();
    if (!isComplete && !isCut) throw error;
  }
  signal.throwIfAborted();
  return finishReply(draft);
}

/** Some servers (vLLM) send an error as an object of its own kind, where the SDK looks for an `error` field. */
function isErrorObject(chunk: unknown): boolean {
  return typeof chunk === 'object' && chunk !== null && 'object' in chunk && chunk.object === 'error';
}
