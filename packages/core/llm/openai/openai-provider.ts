import type { OpenAI } from 'openai';
import type { ChatCompletionCreateParamsStreaming as Body } from 'openai/resources/chat/completions';
import { ProviderFailed } from '../../failure.ts';
import type { Reply } from '../../turn/reply.ts';
import { callFetch, callOptions } from '../call-fetch.ts';
import type { ModelFetch } from '../model-fetch.ts';
import type { Asked } from '../name-failure.ts';
import { networkCode } from '../network-code.ts';
import { piecesOf } from '../pieces-of.ts';
import type { Delta, Provider } from '../provider.ts';
import { readEvents, type ServerEvent } from '../read-events.ts';
import { type Fetch, watchFetch } from '../watch-fetch.ts';
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
      const fetch = watchFetch(options.fetch ?? globalThis.fetch, shape, signal);
      try {
        const body = renderRequest(request, { provider: name, maxTokensField });
        const response = await openStream(await client(), { body, fetch, apiKey, requestId: request.requestId });
        return await readReply(response, { asked, signal, onDelta });
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

type Call = { body: Body; fetch: Fetch; apiKey: string | null; requestId: string };

function openStream(client: OpenAI, { body, fetch, apiKey, requestId }: Call): Promise<Response> {
  const headers = { 'X-Client-Request-Id': requestId, ...(apiKey === null ? { Authorization: null } : {}) };
  const own = callOptions(fetch);
  // The SDK's own reader takes a third of all that a call costs a worker.
  return client.post('/chat/completions', { ...own, body, headers, stream: true }).asResponse();
}

type Reading = { asked: Asked; signal: AbortSignal; onDelta: (delta: Delta) => void };

async function readReply(response: Response, { asked, signal, onDelta }: Reading): Promise<Reply> {
  const draft = startReply(asked.provider);
  try {
    for await (const { chunks, isDone } of chunksOf(response, asked)) {
      signal.throwIfAborted();
      for (const delta of chunks.flatMap((chunk) => takeChunk(draft, chunk))) onDelta(delta);
      draft.isDone = isDone;
    }
  } catch (error) {
    // Nothing is missing from a finished reply whose connection broke.
    const isComplete = isFinished(draft) && error instanceof TypeError && networkCode(error) !== null;
    if (!isComplete) throw error;
  }
  signal.throwIfAborted();
  return finishReply(draft);
}

type Portion = { chunks: unknown[]; isDone: boolean };

/** The chunks of a stream until its end is said, those together that came together. Throws an error that came for one. */
async function* chunksOf({ headers, body }: Response, asked: Asked): AsyncGenerator<Portion> {
  for await (const events of readEvents(piecesOf(body?.getReader()))) {
    const end = events.findIndex(({ data }) => data === '[DONE]');
    const told = end === -1 ? events : events.slice(0, end);
    const chunks = told.map((event) => {
      const chunk: unknown = JSON.parse(event.data);
      const error = errorIn(event, chunk);
      if (error !== undefined) throw classifyErrorObject(error, headers, asked);
      return chunk;
    });
    yield { chunks, isDone: end !== -1 };
    if (end !== -1) return;
  }
}

/** An error instead of a chunk: under `error`, by the event's name, or (vLLM) as an object of its own kind. */
function errorIn({ name }: ServerEvent, chunk: unknown): unknown {
  const isObject = typeof chunk === 'object' && chunk !== null;
  if (isObject && 'error' in chunk && chunk.error) return chunk.error;
  return name === 'error' || (isObject && 'object' in chunk && chunk.object === 'error') ? chunk : undefined;
}
