import { Agent, type Dispatcher } from 'undici';
import { type ByteQueue, type ByteReader, makeByteQueue } from './byte-queue.ts';
import { REPLY_LIMITS, UnusableReply } from './reply-limits.ts';
import { unpackBytes } from './unpack-bytes.ts';

/** What a model's server answered: as much of a web `Response` as a call needs. */
export type ModelAnswer = { status: number; headers: Headers; body: { getReader(): ByteReader } | null };

/** What an SDK hands to its `fetch`, and of that what a call needs. */
export type ModelInit = {
  method?: string;
  headers?: Headers;
  body?: string;
  signal?: AbortSignal | null;
};

/** A `fetch` as far as a call to a model needs it; the web's is one. */
export type ModelFetch = (url: string, init: ModelInit) => Promise<ModelAnswer>;

/**
 * Asks models at a fraction of what a web `fetch` costs, and fails as one fails: with a `TypeError` whose cause tells
 * why, or with the signal's reason. It never gives up waiting: our own bounds apply. A redirect is followed within its
 * origin; one that leads to another, where key and body would go, is an `UnusableReply`. `close` ends its connections.
 */
export function modelFetch(): { fetch: ModelFetch; close(): Promise<void> } {
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: REPLY_LIMITS.headerBytes });
  return { fetch: (url, init) => follow(agent, url, init), close: () => agent.destroy() };
}

const MOST_REDIRECTS = 5;

async function follow(agent: Dispatcher, url: string, init: ModelInit): Promise<ModelAnswer> {
  let answer = await ask(agent, url, init);
  let at = new URL(url);
  for (let redirects = 0; redirects < MOST_REDIRECTS; redirects += 1) {
    const target = redirectOf(answer, at);
    if (!target) return answer;
    await answer.body?.getReader().cancel();
    if (target.origin !== at.origin) throw new UnusableReply(`a redirect to ${target.origin}, which is not followed`);
    at = target;
    answer = await ask(agent, at.href, init);
  }
  return answer;
}

/** Where the same request should be made again; other redirects ask for another one, and are answers like any other. */
function redirectOf({ status, headers }: ModelAnswer, at: URL): URL | null {
  const location = headers.get('location');
  const isRedirect = status === 307 || status === 308;
  return isRedirect && location && URL.canParse(location, at.href) ? new URL(location, at.href) : null;
}

type Course = {
  answer: PromiseWithResolvers<ModelAnswer>;
  controller: Dispatcher.DispatchController | null;
  bytes: ByteQueue;
  hasAnswered: boolean;
  /** Why the caller has given up, if he has. */
  aborted: { reason: unknown } | null;
};

async function ask(dispatcher: Dispatcher, url: string, init: ModelInit): Promise<ModelAnswer> {
  const { signal } = init;
  signal?.throwIfAborted();
  const request = render(url, init);
  const course = startCourse();
  const onAbort = () => {
    course.aborted = { reason: signal?.reason };
    fail(course, signal?.reason, true);
    course.controller?.abort(new Error('aborted'));
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  const onOver = () => signal?.removeEventListener('abort', onAbort);
  dispatcher.dispatch(request, hear(course, onOver));
  return course.answer.promise;
}

function startCourse(): Course {
  const bytes = makeByteQueue({
    onRoom: () => course.controller?.resume(),
    onCancel: () => course.controller?.abort(new Error('left')),
  });
  const answer = Promise.withResolvers<ModelAnswer>();
  const course: Course = { answer, controller: null, bytes, hasAnswered: false, aborted: null };
  return course;
}

function render(url: string, { method = 'GET', headers, body }: ModelInit): Dispatcher.DispatchOptions {
  const { origin, pathname, search } = new URL(url);
  // A reply comes in small pieces, which packing would only hold up.
  const sent = ['accept-encoding', 'identity'];
  for (const [name, value] of headers ?? []) sent.push(name, value);
  return { origin, path: pathname + search, method, headers: sent, body: body ?? null } as Dispatcher.DispatchOptions;
}

function fail({ answer, bytes, hasAnswered }: Course, error: unknown, isUrgent: boolean): void {
  if (hasAnswered) bytes.fail(error, isUrgent);
  else answer.reject(error);
}

function hear(course: Course, onOver: () => void): Dispatcher.DispatchHandler {
  const { bytes } = course;
  return {
    onRequestStart(controller) {
      course.controller = controller;
      // Given up while it waited for its connection.
      if (course.aborted) controller.abort(new Error('aborted'));
    },
    onResponseStart(_controller, status, fields) {
      if (status < 200) return;
      const headers = readHeaders(fields);
      course.hasAnswered = true;
      const reader = unpackBytes(bytes.reader, headers.get('content-encoding'));
      course.answer.resolve({ status, headers, body: { getReader: () => reader } });
    },
    onResponseData(controller, piece) {
      if (!bytes.push(piece)) controller.pause();
    },
    onResponseEnd() {
      onOver();
      bytes.end();
    },
    onResponseError(_controller, error) {
      onOver();
      if (course.aborted) return;
      fail(course, new TypeError(course.hasAnswered ? 'terminated' : 'fetch failed', { cause: error }), false);
    },
  };
}

function readHeaders(fields: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers();
  for (const [name, value = ''] of Object.entries(fields)) {
    for (const each of typeof value === 'string' ? [value] : value) headers.append(name, each);
  }
  return headers;
}
