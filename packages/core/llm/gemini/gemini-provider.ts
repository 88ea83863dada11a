import type { GenerateContentConfig, GenerateContentParameters, GoogleGenAI } from '@google/genai';
import { ProviderFailed } from '../../failure.ts';
import type { Reply } from '../../turn/reply.ts';
import type { ModelFetch } from '../model-fetch.ts';
import { type Asked, nameFailure } from '../name-failure.ts';
import { networkCode } from '../network-code.ts';
import type { Delta, Provider } from '../provider.ts';
import type { Fetch } from '../watch-fetch.ts';
import { classifyFailure } from './classify-failure.ts';
import { type Heard, listen } from './listen.ts';
import { renderRequest } from './render-request.ts';
import { finishReply, isFinished, startReply, takeChunk } from './reply-draft.ts';

export type GeminiOptions = {
  name: string;
  /** Null for a server that wants none. */
  apiKey: string | null;
  /** What the SDK takes: without a version at its end. */
  baseUrl: string;
  fetch?: ModelFetch;
  /** Where the operator keeps the key, for the sentence that tells him to check it. */
  keyName?: string;
};

/** Asks Gemini by generateContent, with the official SDK. One call, no retries, no bounds. */
export function geminiProvider(options: GeminiOptions): Provider {
  const { name, apiKey, keyName = `the key of ${name}`, fetch = globalThis.fetch } = options;
  const client = lazyClient(options);
  return {
    name,
    capabilities: { wire: 'gemini', streaming: true, tools: true, parallel_tool_calls: true, thinking: true },
    async ask(request, signal, onDelta) {
      signal.throwIfAborted();
      const asked: Asked = { provider: name, model: request.model, apiKey, keyName };
      const wire = listen(apiKey === null ? withoutKey(fetch) : fetch, signal);
      try {
        if (!isModelName(request.model)) throw nameFailure('provider_model_not_found', asked);
        const call = { fetch: wire.fetch, requestId: request.requestId };
        await openStream(await client(), renderRequest(request, name), call);
        const reply = await readReply(wire.chunks(), { provider: name, heard: wire.heard, signal, onDelta });
        signal.throwIfAborted();
        return reply;
      } catch (error) {
        signal.throwIfAborted();
        throw error instanceof ProviderFailed ? error : classifyFailure(error, wire.heard, asked);
      }
    },
  };
}

/** The name becomes a part of the URL's path, and must not lead elsewhere. */
function isModelName(model: string): boolean {
  return /^[\w.:@/-]+$/.test(model) && !model.includes('..');
}

/** One client for all calls, loaded at the first. */
function lazyClient({ apiKey, baseUrl }: GeminiOptions): () => Promise<GoogleGenAI> {
  let client: Promise<GoogleGenAI> | null = null;
  return () => {
    client ??= import('@google/genai').then(
      // Named, so that the SDK does not take Vertex AI or another server from the environment.
      ({ GoogleGenAI }) => new GoogleGenAI({ apiKey: apiKey ?? 'none', enterprise: false, httpOptions: { baseUrl } }),
    );
    return client;
  };
}

/** The SDK cannot do without a key. */
function withoutKey(fetch: ModelFetch): ModelFetch {
  return (url, init) => {
    const headers = new Headers(init.headers);
    headers.delete('x-goog-api-key');
    return fetch(url, { ...init, headers });
  };
}

type Call = { fetch: Fetch; requestId: string };

function openStream(client: GoogleGenAI, parameters: GenerateContentParameters, { fetch, requestId }: Call) {
  const config: GenerateContentConfig = {
    ...parameters.config,
    // The SDK would run tools and take broken calls up again by itself.
    automaticFunctionCalling: { disable: true },
    automaticContinuation: false,
    httpOptions: {
      ...parameters.config?.httpOptions,
      headers: { 'X-Client-Request-Id': requestId },
      fetch,
    },
  };
  return client.models.generateContentStream({ ...parameters, config });
}

type Reading = { provider: string; heard: Heard; signal: AbortSignal; onDelta: (delta: Delta) => void };

async function readReply(chunks: AsyncIterable<unknown>, reading: Reading): Promise<Reply> {
  const { provider, heard, signal, onDelta } = reading;
  const draft = startReply(provider);
  try {
    for await (const chunk of chunks) {
      signal.throwIfAborted();
      for (const delta of takeChunk(draft, chunk)) onDelta(delta);
    }
  } catch (error) {
    // Nothing is missing from a finished reply whose connection broke.
    const isComplete = isFinished(draft) && error instanceof TypeError && networkCode(error) !== null;
    if (!isComplete) throw error;
  }
  if (heard.error !== null) throw new Error('an error inside the stream');
  return finishReply(draft);
}
