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

/**
 * Makes a provider for servers of Chat Completions. A call is one request, unless the server refuses one of Pawl's
 * own fields.
 */
export function openaiProvider(options: OpenaiOptions): Provider {
  // Most servers support only `max_tokens`, and OpenAI's newer models refuse it.
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

/** Sends the state of the history unchanged until a refusal. */
const AS_CONFIGURED = { refusedState: [], filledState: [], isKept: true };

type Send = Parameters<HttpWire<ReturnType<typeof renderRequest>>['ask']>[1];
type Forms = ReturnType<typeof rememberForms<Required<Quirks>>>;

/**
 * Asks, and repeats the request at once if a refusal shows the server's form. Remembers the successful form for the
 * model. It does not remember refused state, since the state of other histories may be valid.
 */
async function askByQuirks({ request, provider }: Call, send: Send, forms: Forms): Promise<Reply> {
  const first = forms.formFor(request);
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
