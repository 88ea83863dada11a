import type { Reply } from '../../turn/reply.ts';
import { costsNothing, nameBreakages } from '../errors/classify-breakage.ts';
import { type Asked, nameFailure } from '../errors/name-failure.ts';
import { type Ending, replyOfRefusal } from '../errors/reply-of-refusal.ts';
import { exhaustedField } from '../http/exhausted-field.ts';
import { type Post, urlBelow } from '../http/http-client.ts';
import { listModels } from '../http/list-models.ts';
import { type HeadersByName, mergeHeaders, secretsIn } from '../http/merge-headers.ts';
import { eventsOf, type OpenedReply, openReply, type Refusal } from '../http/open-reply.ts';
import { writeBody } from '../http/write-body.ts';
import type { Delta, Provider, RoundRequest } from '../provider.ts';
import { askAgain, type Outcome, readOutcome } from '../refusals/ask-again.ts';
import { AS_IT_CAME, nextThoughtState, type ThoughtState } from '../refusals/thought-state.ts';
import type { OwnWords } from '../reply/finish-reason.ts';
import { readValues } from '../reply/read-values.ts';
import { requireFinished } from '../reply/require-finished.ts';
import { classifyErrorObject, classifyRefusal } from './classify-refusal.ts';
import { renderRequest } from './render-request.ts';
import { type Answering, finishReply, isFinished, startReply, takeChunk } from './reply-accumulator.ts';

export type GeminiOptions = {
  name: string;
  /** Null for a server that wants none. */
  apiKey: string | null;
  /** Without a version at its end. */
  baseUrl: string;
  post: Post;
  /** Where the operator keeps the key, for the sentence that says to check it. */
  keyName?: string;
  /** Where the operator keeps the base URL, for the same kind of sentence. */
  urlName?: string;
  /** The server's own words for why a model stopped. */
  finishReasons?: OwnWords;
  /** `v1` where it is not given. */
  apiVersion?: string;
  /** Headers of the operator's own. */
  headers?: HeadersByName;
};

/**
 * Asks Gemini by generateContent. No retries, no bounds on its time. One call, unless the server refuses signatures.
 */
export function geminiProvider(options: GeminiOptions): Provider {
  const { name, apiKey, keyName = `the key of ${name}`, urlName, post } = options;
  const secrets = secretsIn(options.headers);
  return {
    name,
    capabilities: {
      wire: 'gemini',
      streaming: true,
      tools: true,
      parallel_tool_calls: true,
      thinking: true,
      structured_outputs: true,
    },
    listModels(signal) {
      const { baseUrl, apiVersion = 'v1' } = options;
      const headers = mergeHeaders(keyOf(options), options);
      return listModels(post, { url: urlBelow(baseUrl, `/${apiVersion}/models`), headers, signal });
    },
    ask(request, signal, onDelta) {
      const { model } = request;
      const asked: Asked = { provider: name, model, apiKey, secrets, keyName, ...(urlName && { urlName }) };
      return nameBreakages(asked, signal, async () => {
        if (!isModelName(request.model)) throw nameFailure('provider_model_not_found', asked);
        const toolNames = request.tools.map((tool) => tool.name);
        const answering = { provider: name, toolNames, ownWords: options.finishReasons };
        return await askByState(request, options, { ...answering, asked, signal, onDelta });
      });
    },
  };
}

/** The name becomes a part of the URL's path, and must not lead elsewhere. */
function isModelName(model: string): boolean {
  return /^[\w.:@/-]+$/.test(model) && !model.includes('..');
}

function keyOf({ apiKey }: GeminiOptions): Record<string, string> {
  return apiKey === null ? {} : { 'x-goog-api-key': apiKey };
}

/** Asks, and asks again at once if the server refuses the signatures in the history. */
async function askByState(request: RoundRequest, options: GeminiOptions, reading: Reading): Promise<Reply> {
  const bodyOf = (state: ThoughtState) => renderRequest(request, options.name, state);
  const { reply, form } = await askAgain(AS_IT_CAME, {
    bodyOf,
    learn: nextThoughtState,
    async send(state) {
      const posted = { ...postOf(request, options), body: await writeBody(bodyOf(state)) };
      const opened = await openReply(options.post, { ...posted, signal: reading.signal });
      if (opened.kind === 'refused') return outcomeOf(opened, reading.asked);
      return readOutcome(reading.onDelta, (onDelta) => readReply(opened, { ...reading, onDelta }));
    },
  });
  return form.isKept ? reply : { ...reply, leftStateOut: true };
}

function postOf(request: RoundRequest, options: GeminiOptions) {
  const { baseUrl, apiVersion = 'v1' } = options;
  const model = /^(models|tunedModels)\//.test(request.model) ? request.model : `models/${request.model}`;
  const url = new URL(urlBelow(baseUrl, `/${apiVersion}/${model}:streamGenerateContent`));
  url.searchParams.append('alt', 'sse');
  const own = {
    'content-type': 'application/json',
    'x-client-request-id': request.requestId,
    ...request.trace,
    ...keyOf(options),
  };
  return { url: url.href, headers: mergeHeaders(own, options, request) };
}

type Reading = Answering & { asked: Asked; signal: AbortSignal; onDelta: (delta: Delta) => void };

async function readReply(opened: OpenedReply, { asked, signal, onDelta, ...answering }: Reading): Promise<Reply> {
  const reply = startReply(answering);
  const errors = { writeEnding, failureOf: (error: unknown) => classifyErrorObject(error, opened.headers, asked) };
  try {
    for await (const events of eventsOf(opened)) {
      signal.throwIfAborted();
      // One by one: a broken event costs nothing that came before it.
      for (const event of events) {
        for (const delta of readValues(event, errors).flatMap((chunk) => takeChunk(reply, chunk))) onDelta(delta);
      }
    }
  } catch (error) {
    if (!isFinished(reply) || !costsNothing(error)) throw error;
  }
  signal.throwIfAborted();
  requireFinished(opened, isFinished(reply), { ...asked, reason: 'not a generateContent response' });
  return { ...finishReply(reply), ...exhaustedField(opened.headers) };
}

/** Returns the reply that a server reports as a refusal. Any other refusal is a failure. */
function outcomeOf(refusal: Refusal, asked: Asked): Outcome {
  const reply = replyOfRefusal(refusal);
  return reply ? { kind: 'reply', reply } : { ...refusal, failure: classifyRefusal(refusal, asked) };
}

/** The end of a reply, in this wire's words. */
function writeEnding({ finishReason }: Ending) {
  return { candidates: [{ content: { parts: [] }, finishReason }] };
}
