import type { Anthropic } from '@anthropic-ai/sdk';
import { ProviderFailed } from '../../failure.ts';
import type { Reply } from '../../turn/reply.ts';
import { callFetch, callOptions } from '../call-fetch.ts';
import type { ModelFetch } from '../model-fetch.ts';
import type { Asked } from '../name-failure.ts';
import { parseJson } from '../parse-json.ts';
import { piecesOf } from '../pieces-of.ts';
import type { Delta, Provider } from '../provider.ts';
import { readEvents, type ServerEvent } from '../read-events.ts';
import { watchFetch } from '../watch-fetch.ts';
import { classifyErrorEvent, classifyFailure } from './classify-failure.ts';
import { finishReply } from './finish-reply.ts';
import { type Body, renderRequest, renderResumption, versionHeaders } from './render-request.ts';
import { isPaused, type ReplyDraft, resumeReply, startReply, takeEvent } from './reply-draft.ts';
import { shape } from './shape.ts';

export type AnthropicOptions = {
  name: string;
  /** Null for servers that want none; then no key is sent. */
  apiKey: string | null;
  /** What the SDK takes: without `/v1` at its end, which is taken off. */
  baseUrl: string;
  fetch?: ModelFetch;
  /** Where the operator keeps the key, for the sentence that tells him to check it. */
  keyName?: string;
};

/** How often one reply may pause (`pause_turn`); each time counts ten runs of the server's own tools. */
const MOST_PAUSES = 10;

/**
 * Asks a server that speaks Anthropic's Messages, with the official SDK. No retries, no bounds. One call, unless the
 * reply pauses: then it is asked to go on, and its parts are one reply.
 */
export function anthropicProvider(options: AnthropicOptions): Provider {
  const { name, apiKey, keyName = `the key of ${name}`, fetch = globalThis.fetch } = options;
  const client = lazyClient(options);
  return {
    name,
    capabilities: { wire: 'anthropic', streaming: true, tools: true, parallel_tool_calls: true, thinking: true },
    async ask(request, signal, onDelta) {
      signal.throwIfAborted();
      const asked: Asked = { provider: name, model: request.model, apiKey, keyName };
      const draft = startReply(name);
      const body = renderRequest(request, name);
      try {
        return await readReply(draft, body, {
          ...{ client: await client(), fetch, apiKey, signal, onDelta },
          ...{ asked, requestId: request.requestId },
        });
      } catch (error) {
        signal.throwIfAborted();
        throw error instanceof ProviderFailed ? error : classifyFailure(error, asked);
      }
    },
  };
}

/** One client for all calls, loaded at the first. */
function lazyClient({ apiKey, baseUrl }: AnthropicOptions): () => Promise<Anthropic> {
  let client: Promise<Anthropic> | null = null;
  return () => {
    client ??= import('@anthropic-ai/sdk').then(
      ({ Anthropic }) =>
        new Anthropic({
          // A key given here is the only credential: the SDK does not look for others in the environment.
          apiKey: apiKey ?? 'none',
          baseURL: baseUrl.replace(/(\/v1)?\/*$/, ''),
          fetch: callFetch,
          maxRetries: 0,
          timeout: 2 ** 31 - 1,
          logLevel: 'off',
        }),
    );
    return client;
  };
}

type Call = {
  asked: Asked;
  client: Anthropic;
  fetch: ModelFetch;
  apiKey: string | null;
  requestId: string;
  signal: AbortSignal;
  onDelta: (delta: Delta) => void;
};

async function readReply(draft: ReplyDraft, body: Body, call: Call): Promise<Reply> {
  await readMessage(draft, await openStream(body, call), call);
  let next = body;
  for (let pause = 1; isPaused(draft) && pause <= MOST_PAUSES; pause += 1) {
    next = renderResumption(body, resumeReply(draft), draft.container);
    await readMessage(draft, await openStream(next, call), call);
  }
  return finishReply(draft);
}

function openStream(body: Body, { client, fetch, apiKey, requestId, signal }: Call): Promise<Response> {
  // Gateways read the key from either header.
  const key = apiKey === null ? { Authorization: null } : { 'X-Api-Key': apiKey };
  const headers = { 'X-Client-Request-Id': requestId, ...key, ...versionHeaders(body) };
  const own = callOptions(watchFetch(fetch, shape, signal));
  // `messages.create` would write warnings about old models to the console; the SDK's own reader has no bounds.
  return client.post('/v1/messages', { ...own, body, headers, stream: true }).asResponse();
}

async function readMessage(draft: ReplyDraft, { headers, body }: Response, { asked, signal, onDelta }: Call) {
  for await (const events of readEvents(piecesOf(body?.getReader()))) {
    signal.throwIfAborted();
    for (const event of events.filter(isMessages)) {
      const { name, data } = event;
      if (name === 'error') throw classifyErrorEvent(parseJson(data) ?? data, headers, asked);
      for (const delta of takeEvent(draft, JSON.parse(data))) onDelta(delta);
      if (draft.isFinished) return;
    }
  }
  signal.throwIfAborted();
}

/** Whatever this wire itself says has a name. */
function isMessages({ name, data }: ServerEvent): boolean {
  return name !== null && name !== 'ping' && data !== '';
}
