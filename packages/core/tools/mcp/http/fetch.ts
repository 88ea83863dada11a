import { AsyncLocalStorage } from 'node:async_hooks';
import { ANSWER_BOUNDS } from '../../../bounds/answer-bounds.ts';
import { MCP_BOUNDS } from '../../../bounds/mcp-bounds.ts';
import { paceSource, startRate } from '../../../bounds/rate.ts';
import { type Connections, fetchOver, openConnections, type ProxyOf } from '../../../proxy.ts';
import { retryAfterMs } from '../../../retry-after.ts';
import { NO_SLOT, noteSent, type ReaderSlot } from '../call-once.ts';
import type { WaitingRequest } from '../tidy/tidy-message.ts';
import { boundAnswer } from './bound-answer.ts';
import { passFailedDiscovery, tidyAnswer } from './tidy-answer.ts';

type Fetch = typeof globalThis.fetch;

/** The request of a fetch, with everything that depends on it. */
export type Exchange = {
  isCall: boolean;
  request?: WaitingRequest;
  refuse(bound: string): void;
  /** Reports that the server accepted the request and sends no answer to it. */
  cut(): void;
  slot: ReaderSlot;
  /** The last event before the stream was resumed, which the SDK forgets if no event follows. */
  lastEventId?: string;
};

const exchanges = new AsyncLocalStorage<Exchange>();

/** Runs the function that sends a request, so that the fetch of its connection knows the request. */
export function inExchange<Value>(exchange: Exchange, send: () => Promise<Value>): Promise<Value> {
  return exchanges.run(exchange, send);
}

/**
 * Returns the `fetch` of one connection:
 * - The request of a tool call leaves once: no redirect repeats it.
 * - All other requests follow redirects within the origin, and later calls use the new address.
 * - It opens no stream without a request. Pawl needs no such stream, and a server could flood it.
 * - It reads answers within `MCP_BOUNDS` and yields to other work.
 */
export function connectionFetch(fetch: Fetch): Fetch {
  const events = startRate({ burst: MCP_BOUNDS.eventsAtOnce, perSecond: MCP_BOUNDS.eventsPerSecond });
  const own = { burst: MCP_BOUNDS.ownEventsAtOnce, perSecond: MCP_BOUNDS.ownEventsPerSecond };
  const follow = followRedirects(fetch);
  return async (url, given = {}) => {
    const exchange = exchanges.getStore() ?? NO_EXCHANGE;
    const init = given.method === 'GET' ? resumed(given, exchange) : given;
    if (!init) return new Response(null, { status: NOT_OFFERED });
    const answer = await follow(new URL(String(url)), init, exchange.isCall && init.method === 'POST');
    const response = passFailedDiscovery(answer, exchange.request);
    if (response.status === 202) exchange.cut();
    return tidyAnswer(boundAnswer(response, { ...exchange, events: paceSource(events, own) }), exchange.request);
  };
}

/** The exchange of a notification or an answer to the server, with at most a small answer. */
const NO_EXCHANGE: Exchange = { isCall: false, refuse: () => {}, cut: () => {}, slot: NO_SLOT };

/** The status of a server without such a stream, which the SDK accepts. */
const NOT_OFFERED = 405;

/**
 * Returns the GET that resumes the stream of a request after its last event, or null for a stream without a request.
 */
function resumed(init: RequestInit, exchange: Exchange): RequestInit | null {
  const headers = new Headers(init.headers);
  const lastEventId = headers.get('last-event-id') ?? exchange.lastEventId;
  if (lastEventId === undefined) return null;
  if (exchange !== NO_EXCHANGE) exchange.lastEventId = lastEventId;
  headers.set('last-event-id', lastEventId);
  return { ...init, headers };
}

const MAX_REDIRECTS = 5;

function followRedirects(fetch: Fetch): (url: URL, init: RequestInit, isCall: boolean) => Promise<Response> {
  let movedTo: URL | undefined;

  return async (url, init, isCall) => {
    if (isCall) noteSent();
    const sent = isCall ? sentOnce(init) : init;
    let address = movedTo ?? url;
    for (let followed = 0; ; followed += 1) {
      const response = await fetch(address, sent);
      const target = isCall || followed === MAX_REDIRECTS ? null : redirectWithin(address, response);
      if (!target) return response;
      await response.body?.cancel();
      movedTo = target;
      address = target;
    }
  };
}

/** Returns a request with a body that can be read only once. Otherwise `fetch` repeats the request after status 421. */
function sentOnce(init: RequestInit): RequestInit {
  const body = Buffer.from(String(init.body ?? ''));
  const headers = new Headers(init.headers);
  headers.set('content-length', String(body.length));
  return { ...init, headers, body: ReadableStream.from([body]), duplex: 'half' };
}

/** Returns the address of a redirect that keeps method and body, or null if it is not within the origin. */
function redirectWithin(address: URL, { status, headers }: Response): URL | null {
  const location = headers.get('location');
  const target = (status === 307 || status === 308) && location ? URL.parse(location, address.href) : null;
  return target?.origin === address.origin && !target.username && !target.password ? target : null;
}

/**
 * Opens a `fetch` without its own timeouts. `close` ends its connections.
 * - Why: Node's fails after five minutes without a byte, and takes no agent of another version of undici.
 * - Gain: a tool may take longer, and each call has Pawl's timeout.
 * - Ends when Node's `fetch` takes its timeouts as options.
 */
export function openFetchWithoutTimeout(proxyOf: ProxyOf): { fetch: Fetch; close(): Promise<void> } {
  const connections = openConnections(proxyOf, { headersTimeout: 0, bodyTimeout: 0 });
  const dispatch: Connections['dispatch'] = (request, handler) =>
    connections.dispatch(request, boundInformational(handler));
  return { fetch: fetchOver({ ...connections, dispatch }), close: () => connections.destroy() };
}

type AnswerHandler = Parameters<Connections['dispatch']>[1];

/** Aborts a request if its server sends more informational responses (1xx) than `ANSWER_BOUNDS` allows. */
function boundInformational(handler: AnswerHandler): AnswerHandler {
  let informational = 0;
  return Object.assign(Object.create(handler), {
    onResponseStart(this: AnswerHandler, ...start: Parameters<NonNullable<typeof handler.onResponseStart>>) {
      const [controller, status] = start;
      if (status < 200) informational += 1;
      if (informational > ANSWER_BOUNDS.informational) controller.abort(new Error('too many informational responses'));
      else handler.onResponseStart?.apply(this, start);
    },
  });
}

/** Notes the pause that a 429 or 5xx asks for, since the SDK's errors have no headers. `leftMs` is its rest. */
export function notePauses(fetch: typeof globalThis.fetch): { fetch: typeof globalThis.fetch; leftMs(): number } {
  let until = 0;
  return {
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      const isRefusal = response.status === 429 || response.status >= 500;
      const askedMs = isRefusal ? retryAfterMs(response.headers) : undefined;
      if (askedMs !== undefined) until = performance.now() + askedMs;
      return response;
    },
    leftMs: () => Math.max(0, Math.ceil(until - performance.now())),
  };
}
