import type { FinishReason, Reply } from '../../turn/reply.ts';
import { costsNothing, nameBreakages } from '../errors/classify-breakage.ts';
import { classifyErrorObject, classifyRefusal } from '../errors/classify-refusal.ts';
import type { Asked } from '../errors/name-failure.ts';
import { type Ending, replyOfRefusal } from '../errors/reply-of-refusal.ts';
import { type Post, urlBelow } from '../http/http-client.ts';
import { listModels } from '../http/list-models.ts';
import { eventsOf, type OpenedReply, openReply, type Refusal } from '../http/open-reply.ts';
import { writeBody } from '../http/write-body.ts';
import type { Delta, Provider, RoundRequest } from '../provider.ts';
import { type Outcome, readOutcome } from '../refusals/ask-again.ts';
import { readValues } from '../reply/read-values.ts';
import { requireFinished } from '../reply/require-finished.ts';
import { rememberQuirks } from './remember-quirks.ts';
import { type Quirks, renderRequest } from './render-request.ts';
import { type Answering, finishReply, isFinished, startReply, takeChunk } from './reply-accumulator.ts';

export type OpenaiOptions = Partial<Quirks> & {
  name: string;
  /** Null for servers that want none; then no Authorization header is sent. */
  apiKey: string | null;
  /** Ends in `/v1`; a function where it is known only at the first call. */
  baseUrl: string | (() => Promise<string>);
  post: Post;
  /** Where the operator keeps the key, for the sentence that says to check it. */
  keyName?: string;
  /** Where the operator keeps the base URL, for the same kind of sentence. */
  urlName?: string;
  /** Finish reasons that the operator teaches, by the server's words in small letters. */
  finishReasons?: ReadonlyMap<string, FinishReason>;
};

/**
 * Asks a server that speaks OpenAI's Chat Completions. No retries, no bounds on its time. One call, unless the server
 * refuses something that Pawl chose itself.
 */
export function openaiProvider(options: OpenaiOptions): Provider {
  const { name, apiKey, keyName = `the key of ${name}`, post } = options;
  // Most servers know `max_tokens` only, and OpenAI's newer models refuse it.
  const { maxTokensField = 'max_tokens', streamOptions = true, cacheKey = false, roles = 'any' } = options;
  const askByQuirks = rememberQuirks(name, { maxTokensField, streamOptions, cacheKey, roles, ...AS_CONFIGURED });
  return {
    name,
    ...(cacheKey ? { takesCacheKey: true } : {}),
    async listModels(signal) {
      return listModels(post, {
        url: urlBelow(await baseUrlOf(options), '/models'),
        headers: headersOf(options),
        signal,
      });
    },
    capabilities: {
      wire: 'openai',
      streaming: true,
      tools: true,
      parallel_tool_calls: true,
      thinking: true,
      structured_outputs: true,
    },
    ask(request, signal, onDelta) {
      const asked: Asked = { provider: name, model: request.model, apiKey, keyName, ...urlNameOf(options) };
      const toolNames = request.tools.map((tool) => tool.name);
      const answering = { provider: name, toolNames, ownWords: options.finishReasons };
      return nameBreakages(asked, signal, () =>
        askByQuirks(request, async (quirks) => {
          const opened = await openReply(post, { ...(await renderPost(request, options, quirks)), signal });
          if (opened.kind === 'refused') return outcomeOf(opened, asked);
          return await readOutcome(onDelta, (watched) =>
            readReply(opened, { ...answering, asked, signal, onDelta: watched }),
          );
        }),
      );
    },
  };
}

/** The state of the history goes back as it came until a refusal teaches otherwise. */
const AS_CONFIGURED = { refusedState: [], filledState: [], isKept: true };

/** Most servers want a base URL that ends in a version; the sentence says so where it does not. */
function urlNameOf({ baseUrl, urlName }: OpenaiOptions): { urlName?: string } {
  if (!urlName || typeof baseUrl !== 'string') return {};
  const endsInVersion = /\/v\d+\w*\/*$/.test(new URL(baseUrl).pathname);
  return { urlName: endsInVersion ? urlName : `${urlName}, which does not end in /v1` };
}

function baseUrlOf({ baseUrl }: OpenaiOptions): string | Promise<string> {
  return typeof baseUrl === 'string' ? baseUrl : baseUrl();
}

function headersOf({ apiKey }: OpenaiOptions): Record<string, string> {
  return { accept: 'application/json', ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }) };
}

async function renderPost(request: RoundRequest, options: OpenaiOptions, quirks: Quirks) {
  return {
    url: urlBelow(await baseUrlOf(options), '/chat/completions'),
    headers: {
      ...headersOf(options),
      'content-type': 'application/json',
      'x-client-request-id': request.requestId,
      ...request.trace,
    },
    body: await writeBody(renderRequest(request, { provider: options.name, ...quirks })),
  };
}

type Reading = Answering & { asked: Asked; signal: AbortSignal; onDelta: (delta: Delta) => void };

async function readReply(opened: OpenedReply, { asked, signal, onDelta, ...answering }: Reading): Promise<Reply> {
  const reply = startReply(answering);
  const errors = { writeEnding, failureOf: (error: unknown) => classifyErrorObject(error, opened.headers, asked) };
  try {
    for await (const events of eventsOf(opened)) {
      signal.throwIfAborted();
      for (const event of events) {
        reply.isDone ||= event.data.trim() === '[DONE]';
        // One by one: a broken event costs nothing that came before it.
        const chunks = reply.isDone ? [] : readValues(event, errors);
        for (const delta of chunks.flatMap((chunk) => takeChunk(reply, chunk))) onDelta(delta);
      }
      if (reply.isDone) break;
    }
  } catch (error) {
    if (!isFinished(reply) || !costsNothing(error)) throw error;
  }
  signal.throwIfAborted();
  requireFinished(opened, isFinished(reply), { ...asked, reason: 'not a chat completion' });
  return finishReply(reply);
}

/** Returns the reply that a server reports as a refusal. Any other refusal is a failure. */
function outcomeOf(refusal: Refusal, asked: Asked): Outcome {
  const reply = replyOfRefusal(refusal);
  return reply ? { kind: 'reply', reply } : { ...refusal, failure: classifyRefusal(refusal, asked) };
}

/** The end of a reply, in this wire's words. */
function writeEnding({ finishReason }: Ending) {
  return { choices: [{ index: 0, delta: {}, finish_reason: finishReason }] };
}
