import { pipeline, Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type Dispatcher, errors } from 'undici';
import { ANSWER_BOUNDS } from '../../bounds/answer-bounds.ts';
import { REPLY_BOUNDS } from '../../bounds/reply-bounds.ts';
import { type Connections, fetchOver, openConnections, type ProxyOf, withoutProxy } from '../../proxy.ts';
import { UnusableReply } from '../unusable-reply.ts';
import { type ByteQueue, type ByteReader, chunksOf, makeByteQueue } from './byte-queue.ts';

/** One request to a model's server: a POST, or a request without a body. */
export type PostRequest = {
  url: string;
  headers: Record<string, string>;
  /** The body, whole or as pieces that are sent while they are read. A stream is sent once, without redirects. */
  body: string | Uint8Array | AsyncIterable<Uint8Array>;
  method?: 'GET' | 'POST' | 'DELETE';
  signal?: AbortSignal;
};

/** The headers of an answer, by their lower-case names. */
export type AnswerHeaders = Pick<Headers, 'get'>;

/** The answer of a server: its status, its headers, and its body as a stream. `fields` returns all headers. */
export type HttpAnswer = {
  status: number;
  headers: AnswerHeaders;
  fields(): [name: string, value: string][];
  body: ByteReader;
};

/** The cause of a failure without an answer, with its code and the host and port of its server. */
export class Unreached extends Error {
  readonly host: string;
  readonly code: unknown;
  constructor(host: string, cause: Error) {
    super('no answer', { cause });
    this.host = host;
    this.code = 'code' in cause ? cause.code : undefined;
  }
}

/**
 * Sends a request. Failures of the network are a `TypeError` with a cause. An abort rejects with the signal's reason.
 */
export type Post = (request: PostRequest) => Promise<HttpAnswer>;

/**
 * Makes a client for models' servers. It reuses connections until `close` ends them.
 * - It has no timeouts, since the bounds of a call apply.
 * - It does not send invalid headers: undici's `InvalidArgumentError`.
 * - `fetch` uses the same connections for requests without a text body.
 * - It follows redirects within the origin. A redirect to another origin, which would get the key and the body, is an
 *   `UnusableReply`.
 */
export function makeHttpClient(proxyOf: ProxyOf = withoutProxy): {
  post: Post;
  fetch: typeof globalThis.fetch;
  close(): Promise<void>;
} {
  const bounds = { headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: REPLY_BOUNDS.headerBytes };
  const connections = openConnections(proxyOf, bounds);
  return {
    post: (request) => follow(connections, request),
    fetch: fetchOver(connections),
    close: () => connections.destroy(),
  };
}

/** Returns the URL of a path below a base URL, with the query of the base URL. */
export function urlBelow(baseUrl: string, path: string): string {
  const { origin, pathname, search } = new URL(baseUrl);
  return origin + pathname.replace(/\/+$/, '') + path + search;
}

const MOST_REDIRECTS = 5;

async function follow(agent: Connections, request: PostRequest): Promise<HttpAnswer> {
  let answer = await send(agent, request);
  let { url } = request;
  const mayRepeat = !isStream(request.body);
  for (let redirects = 0; mayRepeat && redirects < MOST_REDIRECTS; redirects += 1) {
    const target = redirectOf(answer, url);
    if (!target) return answer;
    await answer.body.cancel();
    const { origin, href } = target;
    if (origin !== new URL(url).origin) throw new UnusableReply(`a redirect to ${origin}, which is not followed`);
    url = href;
    answer = await send(agent, { ...request, url });
  }
  return answer;
}

/** Returns the target of a redirect that repeats the same request. Other redirects count as answers. */
function redirectOf({ status, headers }: HttpAnswer, url: string): URL | null {
  const location = status === 307 || status === 308 ? headers.get('location') : null;
  return location ? URL.parse(location, url) : null;
}

type Exchange = {
  answer: PromiseWithResolvers<HttpAnswer>;
  controller: Dispatcher.DispatchController | null;
  bytes: ByteQueue;
  hasAnswered: boolean;
  isAborted: boolean;
};

async function send(dispatcher: Connections, request: PostRequest): Promise<HttpAnswer> {
  const { signal } = request;
  signal?.throwIfAborted();
  const url = new URL(request.url);
  const options = render(request, url);
  const exchange = startExchange();
  const onAbort = () => {
    exchange.isAborted = true;
    fail(exchange, signal?.reason, true);
    exchange.controller?.abort(new Error('aborted'));
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  const onOver = () => signal?.removeEventListener('abort', onAbort);
  dispatcher.dispatch(options, handle(exchange, { host: url.host, onOver }));
  return exchange.answer.promise;
}

function startExchange(): Exchange {
  const bytes = makeByteQueue({
    onRoom: () => exchange.controller?.resume(),
    onCancel: () => exchange.controller?.abort(new Error('left')),
  });
  const answer = Promise.withResolvers<HttpAnswer>();
  const exchange: Exchange = { answer, controller: null, bytes, hasAnswered: false, isAborted: false };
  return exchange;
}

/** Renders a request without compression, which would delay the small chunks of a reply. */
function render(
  { headers, body, method = 'POST' }: PostRequest,
  { origin, pathname, search }: URL,
): Dispatcher.DispatchOptions {
  const sent = { ...headers, 'accept-encoding': 'identity' };
  const given = isStream(body) ? Readable.from(body, { highWaterMark: 1 }) : body;
  return { origin, path: pathname + search, method, headers: sent, body: method === 'POST' ? given : null };
}

function isStream(body: PostRequest['body']): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && Symbol.asyncIterator in body;
}

function fail({ answer, bytes, hasAnswered }: Exchange, error: unknown, isUrgent: boolean): void {
  if (hasAnswered) bytes.fail(error, isUrgent);
  else answer.reject(error);
}

function handle(exchange: Exchange, { host, onOver }: { host: string; onOver(): void }): Dispatcher.DispatchHandler {
  const { bytes } = exchange;
  let informational = 0;
  const noteInformational = (controller: Dispatcher.DispatchController) => {
    informational += 1;
    if (informational <= ANSWER_BOUNDS.informational) return;
    exchange.isAborted = true;
    fail(exchange, new UnusableReply(TOO_MANY_INFORMATIONAL), true);
    controller.abort(new Error('bound'));
  };
  return {
    onRequestStart(controller) {
      exchange.controller = controller;
      // The caller aborted while the request waited for its connection.
      if (exchange.isAborted) controller.abort(new Error('aborted'));
    },
    onResponseStart(controller, status, fields) {
      if (status < 200) return noteInformational(controller);
      const headers = headersIn(fields);
      exchange.hasAnswered = true;
      const body = unpackBytes(bytes.reader, headers.get('content-encoding'));
      exchange.answer.resolve({ status, headers, fields: () => fieldsIn(fields), body });
    },
    onResponseData(controller, chunk) {
      if (!bytes.push(chunk)) controller.pause();
    },
    onResponseEnd() {
      onOver();
      bytes.end();
    },
    onResponseError(_controller, error) {
      onOver();
      if (exchange.isAborted) return;
      // A proxy that asks for a password has the same error, but after the start of the request.
      const isUnsent = error instanceof errors.InvalidArgumentError && !exchange.controller;
      const broken = exchange.hasAnswered
        ? new TypeError('terminated', { cause: error })
        : new TypeError('fetch failed', { cause: new Unreached(host, error) });
      fail(exchange, isUnsent ? error : broken, false);
    },
  };
}

const TOO_MANY_INFORMATIONAL = `more than ${ANSWER_BOUNDS.informational.toLocaleString('en')} informational responses (1xx)`;

function fieldsIn(fields: Record<string, string | string[] | undefined>): [string, string][] {
  return Object.entries(fields).flatMap(([name, values = []]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
}

/** Returns the headers without a `Headers` object, which would copy and check each header. */
function headersIn(fields: Record<string, string | string[] | undefined>): AnswerHeaders {
  return {
    get(name) {
      const value = fields[name] ?? null;
      return Array.isArray(value) ? value.join(', ') : value;
    },
  };
}

/** Decompresses the bytes, since some servers compress them in spite of the request. */
function unpackBytes(reader: ByteReader, encoding: string | null): ByteReader {
  const unpack = MAKERS.get(encoding?.trim().toLowerCase() ?? '')?.();
  if (!unpack) return reader;
  pipeline(Readable.from(chunksOf(reader)), unpack, () => undefined);
  const chunks: AsyncIterator<Uint8Array> = unpack[Symbol.asyncIterator]();
  return {
    read: async () => chunks.next() as ReturnType<ByteReader['read']>,
    cancel: async () => unpack.destroy() && reader.cancel(),
  };
}

// Half a reply must not wait for its other half, and a broken reply keeps its received bytes.
const zlib = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const brotli = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH };

const MAKERS = new Map<string, () => Transform>([
  ['gzip', () => createGunzip(zlib)],
  ['x-gzip', () => createGunzip(zlib)],
  ['deflate', () => createInflate(zlib)],
  ['br', () => createBrotliDecompress(brotli)],
]);
