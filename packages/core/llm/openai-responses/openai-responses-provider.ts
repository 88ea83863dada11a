import { isDeepStrictEqual } from 'node:util';
import type { Reply } from '../../turn/reply.ts';
import { costsNothing, nameBreakages } from '../errors/classify-breakage.ts';
import { classifyErrorObject, classifyRefusal } from '../errors/classify-refusal.ts';
import { type Asked, nameFailure } from '../errors/name-failure.ts';
import { type Ending, replyOfRefusal } from '../errors/reply-of-refusal.ts';
import { exhaustedField } from '../http/exhausted-field.ts';
import { eventsOf, type OpenedReply, openReply, type Refusal } from '../http/open-reply.ts';
import { askedOf, listServerModels, type OpenaiServer, postsTo } from '../http/openai-server.ts';
import type { Delta, Provider, RoundRequest } from '../provider.ts';
import { askAgain, type Outcome, readOutcome } from '../refusals/ask-again.ts';
import { rememberForms } from '../refusals/remember-forms.ts';
import { hasKeptState } from '../refusals/without-state.ts';
import { readValues } from '../reply/read-values.ts';
import { requireFinished } from '../reply/require-finished.ts';
import { type Answering, finishReply } from './finish-reply.ts';
import { lacksWire, lacksWireInReply } from './lacks-wire.ts';
import { learnForm } from './learn-form.ts';
import { type Form, fullForm, renderRequest } from './render-request.ts';
import { isFinished, startReply, takeEvent } from './reply-accumulator.ts';

export type ResponsesOptions = OpenaiServer & {
  /** How the operator chooses Chat Completions, for a server that has no Responses: `OPENAI_WIRE=chat`. */
  chatSetting?: string;
  /** Whether the server takes `prompt_cache_key` and `prompt_cache_options`. */
  promptCache?: boolean;
};

/**
 * Asks a server that speaks OpenAI's Responses. The server stores nothing: each request has the whole history. No
 * retries, no bounds on its time. One call, unless the server refuses something that Pawl added on its own.
 */
export function openaiResponsesProvider(options: ResponsesOptions): Provider {
  const { name, promptCache = false } = options;
  const server = askedOf(options);
  const postOf = postsTo(options, '/responses');
  const forms = rememberForms(fullForm(promptCache));
  return {
    name,
    ...(promptCache ? { takesCacheKey: true, cacheTtls: ['5m', '1h'] as const } : {}),
    listModels: (signal) => listServerModels(options, signal),
    capabilities: {
      wire: 'openai-responses',
      streaming: true,
      tools: true,
      parallel_tool_calls: true,
      thinking: true,
      structured_outputs: true,
    },
    ask(request, signal, onDelta) {
      const asked = { ...server, model: request.model };
      const toolNames = request.tools.map((tool) => tool.name);
      const answering = { provider: name, toolNames, ownWords: options.finishReasons };
      const call = { ...answering, options, postOf, forms, asked, signal, onDelta };
      return nameBreakages(asked, signal, () => askInForm(request, call));
    },
  };
}

type Call = Answering & {
  options: ResponsesOptions;
  postOf: ReturnType<typeof postsTo>;
  forms: ReturnType<typeof rememberForms<Form>>;
  asked: Asked;
  signal: AbortSignal;
  onDelta: (delta: Delta) => void;
};

/**
 * Asks, and asks again at once without the fields or the state that the server refuses. Remembers the fields for the
 * model. State that is invalid in one history is healthy in others, so that this is not remembered.
 */
async function askInForm(request: RoundRequest, call: Call): Promise<Reply> {
  const first = call.forms.formFor(request.model);
  const bodyOf = (form: Form) => renderRequest(request, { provider: call.provider, form });
  const { reply, form } = await askAgain(first, {
    bodyOf,
    learn: learnForm,
    async send(tried) {
      const posted = await call.postOf({ request, body: bodyOf(tried) });
      const opened = await openReply(call.options.post, { ...posted, signal: call.signal });
      if (opened.kind === 'refused') return outcomeOf(opened, call);
      return readOutcome(call.onDelta, (onDelta) => readReply(opened, { ...call, onDelta }));
    },
  });
  const next = { ...form, isKept: true };
  if (!isDeepStrictEqual(next, first)) call.forms.learn(request.model, next);
  const hasLost = !form.isKept && hasKeptState(request.messages, call.provider);
  return { ...reply, ...(hasLost ? { leftStateOut: true } : {}), ...ttlWarning(request, form, call) };
}

function ttlWarning({ promptCache }: RoundRequest, { cacheOptions }: Form, { options, provider }: Call) {
  if (!options.promptCache || !promptCache?.ttl || cacheOptions) return {};
  return { warnings: [`prompt_cache "${promptCache.ttl}" was refused by ${provider} and left out`] };
}

async function readReply(opened: OpenedReply, call: Call): Promise<Reply> {
  const { asked, signal, onDelta } = call;
  const reply = startReply();
  const failureOf = (error: unknown) =>
    lacksWireInReply(error) ? wireMissing(call, null) : classifyErrorObject(error, opened.headers, asked);
  const errors = { writeEnding, failureOf };
  try {
    for await (const events of eventsOf(opened)) {
      signal.throwIfAborted();
      // One by one: a broken event costs nothing that came before it.
      for (const event of events) {
        for (const delta of readValues(event, errors).flatMap((value) => takeEvent(reply, value))) onDelta(delta);
        if (isFinished(reply)) break;
      }
      if (isFinished(reply)) break;
    }
  } catch (error) {
    if (!isFinished(reply) || !costsNothing(error)) throw error;
  }
  signal.throwIfAborted();
  requireFinished(opened, isFinished(reply), { ...asked, reason: 'not a response' });
  return { ...finishReply(reply, call), ...exhaustedField(opened.headers) };
}

/** Returns the reply that a server reports as a refusal. Any other refusal is a failure. */
function outcomeOf(refusal: Refusal, call: Call): Outcome {
  const { asked } = call;
  const reply = replyOfRefusal(refusal);
  if (reply) return { kind: 'reply', reply };
  const isMissing = lacksWire(refusal, asked.model ?? '');
  return { ...refusal, failure: isMissing ? wireMissing(call, refusal.status) : classifyRefusal(refusal, asked) };
}

function wireMissing({ asked, options: { chatSetting = '"kind": "openai"' } }: Call, status: number | null) {
  return nameFailure('model_unsupported_feature', { ...asked, status, chatSetting });
}

/** The end of a reply, in this wire's words. */
function writeEnding({ finishReason }: Ending) {
  const reason = finishReason === 'length' ? 'max_output_tokens' : finishReason;
  return { object: 'response', status: 'incomplete', incomplete_details: { reason }, output: [] };
}
