import { isDeepStrictEqual } from 'node:util';
import type { TraceHeaders } from '../../trace-context.ts';
import type { Reply } from '../../turn/reply.ts';
import { costsNothing, nameBreakages } from '../errors/classify-breakage.ts';
import { classifyErrorObject, classifyRefusal } from '../errors/classify-refusal.ts';
import type { Asked } from '../errors/name-failure.ts';
import { readRefusal } from '../errors/read-error.ts';
import { type Ending, endingOf } from '../errors/reply-of-refusal.ts';
import { exhaustedField } from '../http/exhausted-field.ts';
import { type Post, urlBelow } from '../http/http-client.ts';
import { listModels } from '../http/list-models.ts';
import { type HeadersByName, mergeHeaders, secretsIn } from '../http/merge-headers.ts';
import { eventsOf, type OpenedReply, openReply, type Refusal } from '../http/open-reply.ts';
import { writeBody } from '../http/write-body.ts';
import type { CacheTtl, Delta, Provider, RoundRequest } from '../provider.ts';
import { askAgain, readOutcome } from '../refusals/ask-again.ts';
import { rememberForms } from '../refusals/remember-forms.ts';
import { AS_IT_CAME } from '../refusals/thought-state.ts';
import type { OwnWords } from '../reply/finish-reason.ts';
import { readValues } from '../reply/read-values.ts';
import { requireFinished } from '../reply/require-finished.ts';
import type { Body } from './body.ts';
import { finishReply } from './finish-reply.ts';
import { isLasting, learnForm } from './learn-form.ts';
import { API_VERSION, type Form, renderRequest, renderResumption, versionHeaders } from './render-request.ts';
import {
  type Answering,
  isFinished,
  isPaused,
  type ReplyAccumulator,
  resumeReply,
  startReply,
  takeEvent,
} from './reply-accumulator.ts';

export type AnthropicOptions = {
  name: string;
  /** Null for servers that want none; then no key is sent. */
  apiKey: string | null;
  /** Without `/v1` at its end, which is taken off. */
  baseUrl: string;
  post: Post;
  /** Where the operator keeps the key, for the sentence that says to check it. */
  keyName?: string;
  /** Where the operator keeps the base URL, for the same kind of sentence. */
  urlName?: string;
  /** The server's own words for why a model stopped. */
  finishReasons?: OwnWords;
  /** Whether the server takes marks for its cache; it gets none by default. */
  promptCache?: boolean;
  /** Headers of the operator's own for all servers of this wire, in small letters. */
  customHeaders?: HeadersByName;
  /** Headers of the operator's own for this server. They win over all others but those of a turn. */
  headers?: HeadersByName;
};

/** How often one reply may pause (`pause_turn`); each time counts ten runs of the server's own tools. */
const MOST_PAUSES = 10;

/**
 * Asks a server that speaks Anthropic's Messages. No retries, no bounds on its time. One call, unless the
 * reply pauses: then it is asked to go on, and its parts are one reply.
 */
export function anthropicProvider(options: AnthropicOptions): Provider {
  const { name, apiKey, keyName = `the key of ${name}`, urlName, promptCache = false } = options;
  const secrets = secretsIn({ ...options.customHeaders, ...options.headers });
  const named = { provider: name, apiKey, secrets, keyName, ...(urlName && { urlName }) };
  const forms = rememberForms<Form>({ ...AS_IT_CAME, takesMarks: promptCache, takesTtl: true });
  return {
    name,
    capabilities: {
      wire: 'anthropic',
      streaming: true,
      tools: true,
      parallel_tool_calls: true,
      thinking: true,
      structured_outputs: true,
    },
    ...(promptCache ? { cacheTtls: ['5m', '1h'] as const } : {}),
    listModels(signal) {
      const headers = mergeHeaders(headersOf(options), options);
      return listModels(options.post, { url: urlOf(options, '/v1/models'), headers, signal });
    },
    ask(request, signal, onDelta) {
      const asked: Asked = { ...named, model: request.model };
      const toolNames = request.tools.map((tool) => tool.name);
      const answering = { provider: name, toolNames, ownWords: options.finishReasons };
      const { requestId, trace, headers } = request;
      const call = { ...answering, options, forms, asked, requestId, trace, headers, signal, onDelta };
      return nameBreakages(asked, signal, () => askInForm(request, call));
    },
  };
}

type Call = Answering & {
  options: AnthropicOptions;
  forms: ReturnType<typeof rememberForms<Form>>;
  asked: Asked;
  requestId: string;
  trace: TraceHeaders | undefined;
  headers: RoundRequest['headers'];
  signal: AbortSignal;
  onDelta: (delta: Delta) => void;
};

/**
 * Asks, and asks again at once if the server refuses the thoughts in the history, or marks for a cache. Remembers for
 * the model if its server knows no marks. Thoughts go with every new request.
 */
async function askInForm(request: RoundRequest, call: Call): Promise<Reply> {
  const first = call.forms.formFor(request.model);
  const bodyOf = (form: Form) => renderRequest(request, call.provider, form);
  const isMarkedIn = (form: Form) => !isDeepStrictEqual(bodyOf(form), bodyOf({ ...form, takesMarks: false }));
  let lasts = false;
  const { reply: answer, form } = await askAgain(first, {
    bodyOf,
    learn(refused, tried) {
      const isMarked = isMarkedIn(tried);
      if (isMarked && isLasting(refused)) lasts = true;
      return learnForm(refused, { form: tried, isMarked });
    },
    async send(tried) {
      const body = bodyOf(tried);
      const opened = await openMessage(body, call);
      if (opened.kind === 'refused') return { ...opened, failure: classifyRefusal(opened, call.asked) };
      return readOutcome(call.onDelta, (onDelta) => readReply(opened, body, { ...call, onDelta }));
    },
  });
  if (lasts) call.forms.learn(request.model, { ...form, ...AS_IT_CAME });
  const reply = form.isKept ? answer : { ...answer, leftStateOut: true };
  const lost = lostTtl(request, form);
  if (!call.options.promptCache || lost === null || !isMarkedIn({ ...form, takesMarks: true })) return reply;
  const warning = `prompt_cache "${lost}" was refused by ${call.provider} and left out`;
  return { ...reply, warnings: [...(reply.warnings ?? []), warning] };
}

/** The time to cache that this form leaves out; null if it leaves out none. Marks without a time last five minutes. */
function lostTtl({ promptCache }: RoundRequest, { takesMarks, takesTtl }: Form): CacheTtl | null {
  const ttl = promptCache?.ttl ?? null;
  const isKept = takesMarks && (takesTtl || ttl === '5m');
  return isKept ? null : ttl;
}

async function readReply(opened: OpenedReply, body: Body, call: Call): Promise<Reply> {
  const reply = startReply(call);
  await readMessage(reply, opened, call);
  for (let pause = 1; isPaused(reply) && pause <= MOST_PAUSES; pause += 1) {
    const resumed = renderResumption(body, resumeReply(reply), reply.container);
    const next = await openMessage(resumed, call);
    if (next.kind === 'refused') throw classifyRefusal(next, call.asked);
    await readMessage(reply, next, call);
  }
  return { ...finishReply(reply), ...exhaustedField(opened.headers) };
}

async function openMessage(body: Body, call: Call): Promise<OpenedReply | Refusal> {
  const { options, requestId, trace, signal } = call;
  const url = urlOf(options, '/v1/messages');
  const own = { 'x-client-request-id': requestId, ...trace };
  const headers = mergeHeaders({ ...headersOf(options), ...versionHeaders(body), ...own }, options, call);
  const opened = await openReply(options.post, { url, headers, body: await writeBody(body), signal });
  if (opened.kind !== 'refused') return opened;
  const ending = endingOf(readRefusal(opened));
  return ending ? { kind: 'whole', headers: opened.headers, text: JSON.stringify(messageOf(ending)) } : opened;
}

function urlOf({ baseUrl }: AnthropicOptions, path: string): string {
  return urlBelow(baseUrl.replace(/(\/v1)?\/*$/, ''), path);
}

/** Gateways read the key from either header. An `authorization` for all servers is not sent without a key. */
function headersOf({
  apiKey,
  customHeaders: { authorization, ...own } = {},
}: AnthropicOptions): Record<string, string> {
  const key = apiKey === null ? {} : { authorization: authorization ?? `Bearer ${apiKey}`, 'x-api-key': apiKey };
  return {
    accept: 'application/json',
    'anthropic-version': API_VERSION,
    ...own,
    ...key,
    'content-type': 'application/json',
  };
}

async function readMessage(reply: ReplyAccumulator, opened: OpenedReply, { asked, signal, onDelta }: Call) {
  const failureOf = (error: unknown) => classifyErrorObject(error, opened.headers, asked);
  const errors = { failureOf, writeEnding: messageOf };
  try {
    for await (const events of eventsOf(opened)) {
      signal.throwIfAborted();
      // One by one: a broken event costs nothing that came before it.
      for (const event of events) {
        for (const delta of readValues(event, errors).flatMap((value) => takeEvent(reply, value))) onDelta(delta);
        if (reply.isStopped) return;
      }
    }
  } catch (error) {
    if (!isFinished(reply) || !costsNothing(error)) throw error;
  }
  signal.throwIfAborted();
  requireFinished(opened, isFinished(reply), { ...asked, reason: 'not a message' });
}

/** The end of a message, in this wire's words. */
function messageOf({ finishReason }: Ending) {
  return { type: 'message', content: [], stop_reason: finishReason };
}
