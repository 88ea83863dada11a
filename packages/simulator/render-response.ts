import type { ChatRequest } from './chat-request.ts';
import { errorBody } from './error-body.ts';
import type { Flaw, Refusal, SimulatedReply, SimulatedResponse } from './reply.ts';
import type { Ending, RenderedResponse } from './send-response.ts';

/** A reply with its timing, and with the flaw of the script, if any. */
export type FlawedReply = Extract<SimulatedResponse, { kind: 'reply' }>;

/** The server-sent events of a reply, one chunk for each write, and the end of the stream. */
export type RenderedStream = { chunks: string[]; ending: Ending };

/** Renders the reply to a request in the form of its wire. */
export type Renderer = {
  isStream: boolean;
  /** Returns the JSON body of a reply. The reply has not ended if `finishReason` is null. */
  whole(reply: SimulatedReply): Record<string, unknown>;
  stream(response: FlawedReply): RenderedStream;
  /** Returns the body of an error. Without this function, errors have OpenAI's form. */
  error?(refusal: Refusal): unknown;
};

/** A request for the simulator, with the renderer of its reply. A wire may refuse a readable request. */
export type Reading =
  | { kind: 'unreadable'; refusal: Refusal }
  | { kind: 'request'; body: ChatRequest; refusal: Refusal | null; renderer: Renderer };

/** The id of a request, and its time in seconds. */
export type Stamp = { id: string; createdAt: number };

/** Turns a response into bytes and times, without further decisions. */
export function renderResponse(response: SimulatedResponse, requestId: string, renderer: Renderer): RenderedResponse {
  switch (response.kind) {
    case 'silence':
      return { thinkMs: 0, head: null, chunks: [], paceMs: 0, ending: 'silence' };
    case 'hang-up':
      return { thinkMs: 0, head: null, chunks: [], paceMs: 0, ending: 'cut' };
    case 'error':
      return renderBody({ ...response, body: errorOf(response, renderer) }, requestId);
    case 'reply':
      return renderReply(response, requestId, renderer);
  }
}

/** Returns the body of an error in the form of its wire. */
export function errorOf(refusal: Refusal, { error }: Pick<Renderer, 'error'>): unknown {
  return error ? error(refusal) : refusal.body;
}

/** Renders a body: a string as text, any other value as JSON. */
export function renderBody(answer: Omit<Refusal, 'kind'>, requestId: string): RenderedResponse {
  const { status, headers, body, thinkMs } = answer;
  const isText = typeof body === 'string';
  const type = isText ? 'text/plain; charset=utf-8' : 'application/json';
  const head = { status, headers: { 'content-type': type, 'x-request-id': requestId, ...headers } };
  return { thinkMs, head, chunks: [isText ? body : JSON.stringify(body)], paceMs: 0, ending: 'end' };
}

function renderReply(response: FlawedReply, requestId: string, renderer: Renderer): RenderedResponse {
  const isUnrelated = isUnrelatedJson(response.flaw);
  const isStream = renderer.isStream && !isUnrelated;
  const head = isStream ? streamHead(requestId) : { status: 200, headers: headersOf('application/json', requestId) };
  const timing = { thinkMs: response.pace.thinkMs, paceMs: response.pace.paceMs, head };
  if (isUnrelated) return { ...timing, chunks: ['{"weather":"sunny"}'], ending: 'end' };
  return { ...timing, ...(isStream ? renderer.stream(response) : renderWhole(response, renderer)) };
}

/** Returns whether a flaw replaces the reply by JSON that is no reply. */
export function isUnrelatedJson(flaw: Flaw | null): boolean {
  return flaw?.kind === 'garbage' && flaw.after_chars === undefined;
}

/** Returns the head of a stream of server-sent events. */
export function streamHead(requestId: string): NonNullable<RenderedResponse['head']> {
  return { status: 200, headers: headersOf('text/event-stream; charset=utf-8', requestId) };
}

function headersOf(type: string, requestId: string): Record<string, string> {
  return { 'content-type': type, 'cache-control': 'no-cache', 'x-request-id': requestId };
}

/** Renders the answer as one JSON body, for a request that does not stream, and the end of the answer. */
function renderWhole({ reply, flaw }: FlawedReply, renderer: Renderer): RenderedStream {
  const body = renderer.whole(flaw?.kind === 'no_finish' ? { ...reply, finishReason: null } : reply);
  const text = JSON.stringify(body);
  switch (flaw?.kind) {
    case undefined:
    case 'no_done':
    case 'no_finish':
      return { chunks: [text], ending: 'end' };
    case 'error_event':
      return { chunks: [JSON.stringify(flaw.body ?? errorBody(500))], ending: 'end' };
    case 'garbage':
      return { chunks: [text.slice(0, flaw.after_chars)], ending: 'end' };
    case 'cut':
      return { chunks: [text.slice(0, flaw.after_chars)], ending: 'cut' };
    case 'hang':
      return { chunks: [text.slice(0, flaw.after_chars)], ending: 'silence' };
    case 'drip':
      // Some gateways keep a slow connection alive with white space before a JSON body.
      return { chunks: [' '], ending: 'repeat' };
  }
}
