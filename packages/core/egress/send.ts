import type { Dispatcher } from 'undici';
import { ANSWER_BOUNDS } from '../bounds/answer-bounds.ts';
import { type AnswerSlot, LARGE_ANSWERS, startTimeout } from '../bounds/answer-slots.ts';
import type { Connections } from '../proxy.ts';
import { retryAfterMs } from '../retry-after.ts';
import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import { EgressFailed, type EgressFailureKind } from './failure.ts';

/** One request. `timeoutMs` includes name lookup and body. `maxBytes` is the most that is read of the answer. */
export type EgressRequest = {
  url: string;
  method?: 'POST';
  headers: Record<string, string>;
  body: string;
  timeoutMs: number;
  maxBytes: number;
  signal?: AbortSignal;
  /** The slot of a large answer. The answer stays in its socket until it has a slot. */
  slot?: AnswerSlot | undefined;
};

/**
 * The answer, also if it is a redirect, which is never followed. Header names are lower-case. `retryAfterMs` is the
 * pause that the answer asks for.
 */
export type EgressResponse = {
  status: number;
  headers: Record<string, string>;
  body: string;
  retryAfterMs: number | undefined;
  truncated: boolean;
  sent: true;
};

/** Headers that only the egress sets. A caller's value could change the request or make it impossible to send. */
const OWN_HEADERS = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** A running request. With a controller, its first byte may have left. Once it is `over`, no byte may leave. */
type InFlightRequest = {
  host: string;
  controller: Dispatcher.DispatchController | null;
  status: number | null;
  headers: Record<string, string>;
  text: ReturnType<typeof boundedText>;
  over: boolean;
};

/** Sends one request through the agent and reads its answer within `timeoutMs`. Throws EgressFailed. */
export async function sendRequest(agent: Connections, request: EgressRequest): Promise<EgressResponse> {
  const url = new URL(request.url);
  const inFlight = newInFlightRequest(url.hostname, request.maxBytes);
  const answer = Promise.withResolvers<EgressResponse>();
  const fail = (kind: EgressFailureKind, message: string) => {
    inFlight.over = true;
    answer.reject(new EgressFailed(kind, message, partialResponse(inFlight)));
    inFlight.controller?.abort(new Error(kind));
  };
  const onAbort = () => fail('aborted', `The request to ${inFlight.host} was cancelled.`);
  const onTimeout = (slow = `did not answer within ${request.timeoutMs} ms`) =>
    fail('timeout', `${inFlight.host} ${slow}.`);

  if (request.signal?.aborted) onAbort();
  request.signal?.addEventListener('abort', onAbort, { once: true });
  const stopTimeout = startTimeout(request.timeoutMs, request.slot, onTimeout);
  try {
    if (!inFlight.over) agent.dispatch(render(url, request), readResponse(inFlight, answer, request.slot));
    return await answer.promise;
  } finally {
    stopTimeout();
    request.signal?.removeEventListener('abort', onAbort);
  }
}

function render(url: URL, { method = 'POST', headers, body }: EgressRequest): Dispatcher.DispatchOptions {
  const callerHeaders = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !OWN_HEADERS.has(name));
  const all = Object.fromEntries([...callerHeaders, ['accept-encoding', 'identity']]);
  return { origin: url.origin, path: `${url.pathname}${url.search}`, method, headers: all, body };
}

function newInFlightRequest(host: string, maxBytes: number): InFlightRequest {
  return { host, controller: null, status: null, headers: {}, text: boundedText(maxBytes), over: false };
}

/** Returns the parts of an answer that arrived before it ended. */
function partialResponse({ controller, status, headers, text }: InFlightRequest) {
  const body = status === null ? null : text.read().body;
  return { sent: controller !== null, status, body, retryAfterMs: pauseIn(headers) };
}

function pauseIn(headers: Record<string, string>): number | undefined {
  return retryAfterMs({ get: (name) => headers[name] ?? null });
}

function readResponse(
  inFlight: InFlightRequest,
  { resolve, reject }: PromiseWithResolvers<EgressResponse>,
  slot: AnswerSlot | undefined,
): Dispatcher.DispatchHandler {
  const { text } = inFlight;
  let isPlaced = false;
  const count = countAnswer(inFlight.host);
  const exceed = (controller: Dispatcher.DispatchController, bound: string) => {
    inFlight.over = true;
    reject(new EgressFailed('cut', bound, partialResponse(inFlight)));
    controller.abort(new Error('bound'));
  };
  const finish = () => {
    const { status, headers } = inFlight;
    resolve({ status: status ?? 0, headers, ...text.read(), retryAfterMs: pauseIn(headers), sent: true });
  };
  return {
    onRequestStart(controller) {
      // The request was aborted before it had a connection, or undici writes it again: no byte may leave now.
      if (inFlight.over || inFlight.controller !== null) controller.abort(new Error('over'));
      else inFlight.controller = controller;
    },
    onResponseStart(controller, status, headers) {
      if (status < 200) {
        const bound = count.informational();
        if (bound !== null) exceed(controller, bound);
        return;
      }
      inFlight.status = status;
      inFlight.headers = Object.fromEntries(
        Object.entries(headers).map(([name, value = '']) => [name, [value].flat().join(', ')]),
      );
    },
    onResponseData(controller, chunk) {
      const isWhole = text.add(chunk);
      const bound = count.chunk(chunk);
      if (!isWhole) {
        finish();
        controller.abort(new Error('enough'));
      } else if (bound !== null) exceed(controller, bound);
      else if (slot && !isPlaced && text.size() > LARGE_ANSWERS.bytes) {
        isPlaced = true;
        pauseReading(controller, slot.take(inFlight.host));
      } else if (count.isPauseDue()) pauseReading(controller, yieldToEventLoop());
    },
    onResponseEnd: finish,
    onResponseError: (_controller, error) =>
      reject(explainFailure(error, { host: inFlight.host, ...partialResponse(inFlight) })),
  };
}

function pauseReading(controller: Dispatcher.DispatchController, over: Promise<void>): void {
  controller.pause();
  void over.then(() => controller.resume());
}

const FIRST_BYTES = 4096;

/** Collects at most `maxBytes` of a body in chunks of any size, and reads them as UTF-8. */
function boundedText(maxBytes: number): {
  /** Adds a chunk, or false once the body exceeds `maxBytes`. */
  add(chunk: Uint8Array): boolean;
  size(): number;
  /** Returns the collected text, without a character that the limit cut in two. */
  read(): { body: string; truncated: boolean };
} {
  let bytes = new Uint8Array(Math.min(FIRST_BYTES, maxBytes));
  let length = 0;
  let truncated = false;
  return {
    add(chunk) {
      const fitting = chunk.subarray(0, maxBytes - length);
      if (length + fitting.length > bytes.length) bytes = growBuffer(bytes, length + fitting.length, maxBytes);
      bytes.set(fitting, length);
      length += fitting.length;
      truncated ||= fitting.length < chunk.length;
      return !truncated;
    },
    size: () => length,
    read() {
      return { body: new TextDecoder().decode(bytes.subarray(0, length), { stream: truncated }), truncated };
    },
  };
}

/** Doubles one buffer. A list of a million one-byte chunks would use a hundred times the memory of their content. */
function growBuffer(bytes: Uint8Array, needed: number, maxBytes: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.min(maxBytes, Math.max(needed, bytes.length * 2)));
  larger.set(bytes);
  return larger;
}

/** Turns an error of the connection into a failure with its kind and a message without addresses. */
function explainFailure(
  error: Error,
  { host, ...partial }: { host: string } & ReturnType<typeof partialResponse>,
): EgressFailed {
  if (error instanceof EgressFailed) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  const { sent } = partial;
  const details = { ...partial, cause: error };
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') {
    return new EgressFailed('aborted', `The request to ${host} was cancelled at shutdown.`, details);
  }
  if (code === 'UND_ERR_INVALID_ARG' && !sent) {
    return new EgressFailed('blocked', `The request to ${host} has an invalid header.`, details);
  }
  const why = code === null ? '' : ` (${code})`;
  if (sent)
    return new EgressFailed('cut', `The connection to ${host} ended before the answer was complete${why}.`, details);
  return new EgressFailed('not-connected', `The connection to ${host} failed${why}.`, details);
}

/** Counts the parts of an answer. Returns a sentence about the first bound that the answer exceeds, or null. */
function countAnswer(host: string) {
  const { informational: most, chunks: mostChunks, bytesPerChunk, chunksAtOnce } = ANSWER_BOUNDS;
  let informational = 0;
  let chunks = 0;
  let bytes = 0;
  return {
    informational: (): string | null => {
      informational += 1;
      if (informational <= most) return null;
      return `The answer of ${host} has more than ${written(most)} informational responses (1xx). Send fewer responses.`;
    },
    chunk: ({ length }: Uint8Array): string | null => {
      chunks += 1;
      bytes += length;
      if (chunks <= mostChunks + bytes / bytesPerChunk) return null;
      return `The answer of ${host} has more than ${written(mostChunks)} chunks of less than ${bytesPerChunk} bytes. Send larger chunks.`;
    },
    /** Whether other work should run before the next chunk. */
    isPauseDue: () => chunks % chunksAtOnce === 0,
  };
}

function written(count: number): string {
  return count.toLocaleString('en');
}
