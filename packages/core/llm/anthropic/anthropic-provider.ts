import { isDeepStrictEqual } from 'node:util';
import type { Reply } from '../../turn/reply.ts';
import { classifyRefusal } from '../errors/classify-refusal.ts';
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
import { askAgain, isUnknown, mayTeach, type Refused, withoutNames } from '../refusals/ask-again.ts';
import { rememberForms } from '../refusals/remember-forms.ts';
import { AS_IT_CAME, nextThoughtState } from '../refusals/thought-state.ts';
import { finishReply } from './finish-reply.ts';
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
  const base = options.baseUrl.replace(/(\/v1)?\/*$/, '');
  const headers = headersOf(options);
  const wire: HttpWire<Body> = {
    wire: 'anthropic',
    customHeaders,
    listAt: () => ({ url: urlBelow(base, '/v1/models'), headers }),
    postAt: (request, body) => ({
      url: urlBelow(base, '/v1/messages'),
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
 * Asks, and repeats the request at once if the server refuses the thoughts in the history, or cache marks. Remembers
 * for the model if its server refuses marks. Every new request has thoughts.
 */
async function askInForm({ request, provider }: Call, send: Send, { forms, promptCache }: Known): Promise<Reply> {
  const bodyOf = (form: Form) => renderRequest(request, provider, form);
  const isMarkedIn = (form: Form) => !isDeepStrictEqual(bodyOf(form), bodyOf({ ...form, takesMarks: false }));
  let lasts = false;
  const { reply: answer, form } = await askAgain(forms.formFor(request.model), {
    send,
    bodyOf,
    learn(refused, tried) {
      const isMarked = isMarkedIn(tried);
      if (isMarked && isLasting(refused)) lasts = true;
      return learnForm(refused, { form: tried, isMarked });
    },
  });
  if (lasts) forms.learn(request.model, { ...form, ...AS_IT_CAME });
  const reply = form.isKept ? answer : { ...answer, leftStateOut: true };
  const lost = lostTtl(request, form);
  if (!promptCache || lost === null || !isMarkedIn({ ...form, takesMarks: true })) return reply;
  const warning = `prompt_cache "${lost}" was refused by ${provider} and left out`;
  return { ...reply, warnings: [...(reply.warnings ?? []), warning] };
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
  const reply = startReply(call);
  await readInto(reply, opened, { reader: READER, call });
  for (let pause = 1; isPaused(reply) && pause <= MOST_PAUSES; pause += 1) {
    const next = await open(renderResumption(body, resumeReply(reply), reply.container), call, at);
    if (next.kind === 'refused') throw classifyRefusal(next, call.asked);
    await readInto(reply, next, { reader: READER, call });
  }
  return { ...finishReply(reply), ...exhaustedField(opened.headers) };
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

/** The form of a refused request, and whether Pawl has added cache marks to it. */
type Tried = { form: Form; isMarked: boolean };

/** Returns the form of the next attempt after a refusal, or null for other refusals. Marks lose their time first. */
function learnForm(refused: Refused, { form, isMarked }: Tried): Form | null {
  if (!isMarked || !isAboutMarks(refused)) return nextThoughtState(refused, form);
  const isAboutTtl = form.takesTtl && /\bttl\b/i.test(withoutNames(refused.text));
  return { ...form, ...(isAboutTtl ? { takesTtl: false } : { takesMarks: false }) };
}

/** Returns whether the message says that the server or its model refuses marks in each request. */
function isLasting(refused: Refused): boolean {
  const said = withoutNames(refused.text);
  return isAboutMarks(refused) && (isUnknown(said) || CACHING.test(said));
}

const CACHING = /\bprompt.?cach/i;

/** Returns whether a refusal is about marks. Some servers refuse them with the status for permissions. */
function isAboutMarks(refused: Refused): boolean {
  const said = withoutNames(refused.text);
  if (CACHING.test(said) && refused.status === 403) return true;
  return mayTeach(refused) && (/\bcache_?control\b/i.test(said) || CACHING.test(said));
}
