import { isDeepStrictEqual } from 'node:util';
import type { Reply } from '../../turn/reply.ts';
import { classifyRefusal } from '../errors/classify-refusal.ts';
import { nameFailure } from '../errors/name-failure.ts';
import { readRefusal } from '../errors/read-error.ts';
import { type Ending, endingOf } from '../errors/reply-of-refusal.ts';
import { exhaustedField } from '../http/exhausted-field.ts';
import { urlBelow } from '../http/http-client.ts';
import {
  type Call,
  type HttpServer,
  type HttpWire,
  httpProvider,
  open,
  type Reader,
  readInto,
  requestHeaders,
} from '../http/http-provider.ts';
import type { HeadersByName } from '../http/merge-headers.ts';
import type { OpenedReply } from '../http/open-reply.ts';
import type { CacheTtl, Provider, RoundRequest } from '../provider.ts';
import { askAgain } from '../refusals/ask-again.ts';
import { rememberForms } from '../refusals/remember-forms.ts';
import { AS_IT_CAME } from '../refusals/thought-state.ts';
import { wholeBlock } from './block.ts';
import { finishReply } from './finish-reply.ts';
import { lastContainer } from './hosted/container.ts';
import { lostDeltas, openCalls } from './hosted/hosted-calls.ts';
import { isLastingForm, learnForm } from './learn-form.ts';
import { withoutContainer } from './opaque.ts';
import type { Body } from './render-messages.ts';
import { API_VERSION, type Form, renderRequest, renderResumption, versionHeaders } from './render-request.ts';
import {
  isFinished,
  isPaused,
  type ReplyAccumulator,
  resumeReply,
  startReply,
  takeEvent,
} from './reply-accumulator.ts';

export type AnthropicOptions = HttpServer & {
  /** The URL, with or without `/v1` at its end. */
  baseUrl: string;
  /** Whether the server supports cache marks. By default it gets none. */
  promptCache?: boolean;
  /** The operator's headers for all servers of this wire, in lower case. */
  customHeaders?: HeadersByName;
};

/** How often one reply may pause (`pause_turn`). Each pause counts ten runs of the server's own tools. */
const MOST_PAUSES = 10;

/** Makes a provider for servers of Anthropic's Messages API. A paused reply is resumed, and its parts are one reply. */
export function anthropicProvider(options: AnthropicOptions): Provider {
  const { customHeaders, promptCache = false } = options;
  const forms = rememberForms<Form>({ ...AS_IT_CAME, takesMarks: promptCache, takesTtl: true });
  const { urlOf, headers } = reachAnthropic(options);
  const wire: HttpWire<Body> = {
    wire: 'anthropic',
    customHeaders,
    listAt: () => ({ url: urlOf('/models'), headers }),
    postAt: (request, body) => ({
      url: urlOf('/messages'),
      headers: { ...headers, ...versionHeaders(body), ...requestHeaders(request) },
    }),
    replyIn(refusal) {
      const ending = endingOf(readRefusal(refusal));
      return ending && { kind: 'whole', headers: refusal.headers, text: JSON.stringify(messageOf(ending)) };
    },
    ask: (call, send) => askInForm(call, send, { forms, promptCache }),
    read: (opened, call, body) => readPauses(opened, call, { body, server: options, wire }),
  };
  const provider = httpProvider(options, wire);
  return { ...provider, ...(promptCache ? { cacheTtls: ['5m', '1h'] as const } : {}) };
}

type Send = Parameters<HttpWire<Body>['ask']>[1];
type Known = { forms: ReturnType<typeof rememberForms<Form>>; promptCache: boolean };

/**
 * Asks, and repeats the request at once if the server refuses the state in the history, cache marks, or calls of
 * hosted tools from code. Remembers for the model if its server always refuses. Every new request has the state.
 */
async function askInForm(call: Call, send: Send, known: Known): Promise<Reply> {
  const { request, provider } = call;
  const { forms, promptCache } = known;
  const bodyOf = (form: Form) => renderRequest(request, provider, form);
  const isMarkedIn = (form: Form) => !isDeepStrictEqual(bodyOf(form), bodyOf({ ...form, takesMarks: false }));
  const container = lastContainer(request.messages, provider);
  let lasts = false;
  const { reply: answer, form } = await askAgain(forms.formFor(request), {
    send,
    bodyOf,
    learn(refused, tried) {
      const isMarked = isMarkedIn(tried);
      if (isLastingForm(refused, isMarked)) lasts = true;
      return learnForm(refused, { form: tried, isMarked, container });
    },
  });
  if (lasts) forms.learn(request.model, { ...form, ...AS_IT_CAME, withoutContainer: false });
  const reply = form.withoutContainer ? withoutOldContainer(answer) : answer;
  const lost = lostTtl(request, form);
  const isWarned = promptCache && lost !== null && isMarkedIn({ ...form, takesMarks: true });
  const warnings = [
    ...(reply.warnings ?? []),
    ...(isWarned ? [`prompt_cache "${lost}" was refused by ${provider} and left out`] : []),
  ];
  return {
    ...reply,
    ...(form.isKept ? {} : { leftStateOut: true }),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

const LOST = 'the container of earlier code has expired, so code starts in a new container';

/** Returns a reply after which no request names the container of earlier replies. */
function withoutOldContainer(reply: Reply): Reply {
  return { ...reply, opaque: withoutContainer(reply.opaque), warnings: [...(reply.warnings ?? []), LOST] };
}

/** Returns the cache time that this form omits, or null. Marks without a time last five minutes. */
function lostTtl({ promptCache }: RoundRequest, { takesMarks, takesTtl }: Form): CacheTtl | null {
  const ttl = promptCache?.ttl ?? null;
  const isKept = takesMarks && (takesTtl || ttl === '5m');
  return isKept ? null : ttl;
}

type Sent = { body: Body; server: AnthropicOptions; wire: HttpWire<Body> };

/** Reads a reply and resumes it after each pause. */
async function readPauses(opened: OpenedReply, call: Call, { body, ...at }: Sent): Promise<Reply> {
  const reply = startReply(call, openCalls(body.messages));
  await readInto(reply, opened, { reader: READER, call });
  let requests = 1;
  const isLast = call.request.exchange?.isLast ?? false;
  while (isPaused(reply) && !isLast && requests <= MOST_PAUSES) {
    const resumption = renderResumption(body, reply.blocks.map(wholeBlock), reply.container);
    if (!resumption) break;
    const next = await open(resumption, call, at);
    if (next.kind === 'refused') throw classifyRefusal(next, call.asked);
    requests += 1;
    resumeReply(reply);
    await readInto(reply, next, { reader: READER, call });
  }
  const finished = finishReply(reply);
  if (isPaused(reply) && !isLast && !finished.text?.trim() && !finished.hosted) throw endlessReply(call, requests);
  for (const delta of lostDeltas(finished.hosted?.calls ?? [])) call.onDelta(delta);
  return { ...finished, ...(requests > 1 ? { requests } : {}), ...exhaustedField(opened.headers) };
}

/** Returns the failure of a reply that pauses without a text: at its start, or again and again. */
function endlessReply({ asked }: Call, requests: number) {
  const advice = `no text after ${requests} requests: set \`max_uses\` in the options of the hosted tools`;
  return nameFailure('provider_bad_response', { ...asked, reason: requests > 1 ? advice : 'a pause without a text' });
}

const READER: Reader<ReplyAccumulator> = {
  start: startReply,
  take: takeEvent,
  isFinished,
  isOver: ({ isStopped }) => isStopped,
  finish: finishReply,
  writeEnding: messageOf,
  noun: 'message',
};

/** Returns the end of a message in this wire's words. */
function messageOf({ finishReason }: Ending) {
  return { type: 'message', content: [], stop_reason: finishReason };
}

/** Returns how to reach a server: the URL of a path of its API, and the headers of each request. */
export function reachAnthropic(options: AnthropicOptions) {
  const base = options.baseUrl.replace(/(\/v1)?\/*$/, '');
  return { urlOf: (path: string) => urlBelow(base, `/v1${path}`), headers: headersOf(options) };
}

/**
 * Returns the headers of the server. Gateways read the key from either header. An `authorization` for all servers
 * requires a key.
 */
function headersOf({ apiKey, customHeaders: { authorization, ...own } = {} }: AnthropicOptions): HeadersByName {
  const key = apiKey === null ? {} : { authorization: authorization ?? `Bearer ${apiKey}`, 'x-api-key': apiKey };
  return {
    accept: 'application/json',
    'anthropic-version': API_VERSION,
    ...own,
    ...key,
    'content-type': 'application/json',
  };
}
