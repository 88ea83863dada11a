import { isDeepStrictEqual } from 'node:util';
import type { Reply } from '../../turn/reply.ts';
import { classifyErrorObject, classifyRefusal } from '../errors/classify-refusal.ts';
import { type Asked, nameFailure } from '../errors/name-failure.ts';
import type { Ending } from '../errors/reply-of-refusal.ts';
import { type Call, httpProvider, type Reader, readReply, type Send } from '../http/http-provider.ts';
import { type OpenaiServer, openaiTargets, withUrlHint } from '../http/openai-server.ts';
import type { Provider } from '../provider.ts';
import { askAgain } from '../refusals/ask-again.ts';
import { rememberForms } from '../refusals/remember-forms.ts';
import { hasKeptState } from '../refusals/without-state.ts';
import { type BackgroundSetting, keptResponses, openResponsesOf } from './background/kept-responses.ts';
import { sendInBackground } from './background/send-in-background.ts';
import { finishReply } from './finish-reply.ts';
import { lacksWire, lacksWireInReply, learnForm } from './learn-form.ts';
import { type Body, type Form, fullForm, renderRequest } from './render-request.ts';
import { isFinished, type ReplyAccumulator, startReply, takeEvent } from './reply-accumulator.ts';

export type ResponsesOptions = OpenaiServer & {
  /** The setting for Chat Completions, for a server without Responses: `OPENAI_WIRE=chat`. */
  chatSetting?: string;
  /** Whether the server supports `prompt_cache_key` and `prompt_cache_options`. */
  promptCache?: boolean;
  /** The models that are asked in the background. Absent if there are none. */
  background?: BackgroundSetting | undefined;
};

/**
 * Makes a provider for servers of OpenAI's Responses. The server stores no responses, so each request has the whole
 * history.
 */
export function openaiResponsesProvider(options: ResponsesOptions): Provider {
  const { promptCache = false, chatSetting = '"kind": "openai"' } = options;
  const forms = rememberForms(fullForm(promptCache));
  const wireMissing = (asked: Asked, status: number | null) =>
    nameFailure('model_unsupported_feature', { ...asked, status, chatSetting });
  const reader: Reader<ReplyAccumulator> = {
    ...READER,
    failureOf: (error, headers, asked) =>
      lacksWireInReply(error) ? wireMissing(asked, null) : classifyErrorObject(error, headers, asked),
  };
  const open = openResponsesOf(options);
  const provider = httpProvider<Body>(withUrlHint(options), {
    wire: 'openai-responses',
    ...openaiTargets(options, '/responses'),
    async ask(call, send) {
      const { background } = call.request;
      const sender = background ? sendInBackground(call, { send, background, open, reader }) : send;
      const { reply, form } = await askInForm(call, sender, forms);
      return promptCache ? { ...reply, ...ttlWarning(call, form) } : reply;
    },
    read: (opened, call) => readReply(opened, reader, call),
    classify: (refusal, asked) =>
      lacksWire(refusal, asked.model ?? '') ? wireMissing(asked, refusal.status) : classifyRefusal(refusal, asked),
  });
  return {
    ...provider,
    responses: keptResponses(open, options.background),
    ...(promptCache ? { takesCacheKey: true, cacheTtls: ['5m', '1h'] as const } : {}),
  };
}

/**
 * Asks, and repeats the request at once without the fields or the state that the server refuses. Remembers the fields
 * for the model. It does not remember refused state, since the state of other histories may be valid.
 */
async function askInForm({ request, provider }: Call, send: Send<Body>, forms: ReturnType<typeof rememberForms<Form>>) {
  const first = forms.formFor(request);
  const bodyOf = (form: Form) => renderRequest(request, { provider, form });
  const { reply, form } = await askAgain(first, { send, bodyOf, learn: learnForm });
  const next = { ...form, isKept: true };
  if (!isDeepStrictEqual(next, first)) forms.learn(request.model, next);
  const hasLost = !form.isKept && hasKeptState(request.messages, provider);
  return { reply: hasLost ? { ...reply, leftStateOut: true } : reply, form };
}

function ttlWarning({ request: { promptCache }, provider }: Call, { cacheOptions }: Form): Pick<Reply, 'warnings'> {
  if (!promptCache?.ttl || cacheOptions) return {};
  return { warnings: [`prompt_cache "${promptCache.ttl}" was refused by ${provider} and left out`] };
}

const READER: Reader<ReplyAccumulator> = {
  start: startReply,
  take: takeEvent,
  isFinished,
  isOver: isFinished,
  finish: finishReply,
  writeEnding: ({ finishReason }: Ending) => {
    const reason = finishReason === 'length' ? 'max_output_tokens' : finishReason;
    return { object: 'response', status: 'incomplete', incomplete_details: { reason }, output: [] };
  },
  noun: 'response',
};
