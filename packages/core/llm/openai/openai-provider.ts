import { isDeepStrictEqual } from 'node:util';
import type { Reply } from '../../turn/reply.ts';
import type { Ending } from '../errors/reply-of-refusal.ts';
import { type Call, type HttpWire, httpProvider, type Reader, readReply } from '../http/http-provider.ts';
import { type OpenaiServer, openaiTargets, withUrlHint } from '../http/openai-server.ts';
import type { Provider } from '../provider.ts';
import { askAgain } from '../refusals/ask-again.ts';
import { rememberForms } from '../refusals/remember-forms.ts';
import { learnQuirk } from './learn-quirk.ts';
import { type Quirks, renderRequest } from './render-request.ts';
import { finishReply, isFinished, type ReplyAccumulator, startReply, takeChunk } from './reply-accumulator.ts';

export type OpenaiOptions = Partial<Quirks> & OpenaiServer;

/** Asks a server that speaks Chat Completions. One request, unless it refuses something that Pawl chose itself. */
export function openaiProvider(options: OpenaiOptions): Provider {
  // Most servers know `max_tokens` only, and OpenAI's newer models refuse it.
  const { maxTokensField = 'max_tokens', streamOptions = true, cacheKey = false, roles = 'any' } = options;
  const forms = rememberForms<Required<Quirks>>({ maxTokensField, streamOptions, cacheKey, roles, ...AS_CONFIGURED });
  const provider = httpProvider<ReturnType<typeof renderRequest>>(withUrlHint(options), {
    wire: 'openai',
    ...openaiTargets(options, '/chat/completions'),
    ask: (call, send) => askByQuirks(call, send, forms),
    read: (opened, call) => readReply(opened, READER, call),
  });
  return { ...provider, ...(cacheKey ? { takesCacheKey: true } : {}) };
}

/** The state of the history goes back as it came until a refusal teaches otherwise. */
const AS_CONFIGURED = { refusedState: [], filledState: [], isKept: true };

type Send = Parameters<HttpWire<ReturnType<typeof renderRequest>>['ask']>[1];
type Forms = ReturnType<typeof rememberForms<Required<Quirks>>>;

/**
 * Asks, and asks again at once if a refusal shows how the server takes the request. What helped is remembered for the
 * model. State that is invalid in one history is healthy in others, so that this is not remembered.
 */
async function askByQuirks({ request, provider }: Call, send: Send, forms: Forms): Promise<Reply> {
  const first = forms.formFor(request.model);
  const { reply, form } = await askAgain(first, {
    send,
    bodyOf: (quirks) => renderRequest(request, { provider, ...quirks }),
    learn: (refused, quirks) => learnQuirk(refused, { request, quirks, first }),
  });
  const next = { ...form, isKept: true };
  if (form !== first && !isDeepStrictEqual(next, first)) forms.learn(request.model, next);
  const hasLost = !form.isKept || form.refusedState.length > first.refusedState.length;
  return hasLost ? { ...reply, leftStateOut: true } : reply;
}

const READER: Reader<ReplyAccumulator> = {
  start: startReply,
  take: takeChunk,
  takeDone(reply) {
    reply.isDone = true;
  },
  isFinished,
  isOver: ({ isDone }) => isDone,
  finish: finishReply,
  writeEnding: ({ finishReason }: Ending) => ({ choices: [{ index: 0, delta: {}, finish_reason: finishReason }] }),
  noun: 'chat completion',
};
