import { AsyncLocalStorage } from 'node:async_hooks';
import type { JSONRPCMessage, RequestId, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { JSON_LIMITS, type JsonScan, scanJson, startJsonScan } from '../../json.ts';
import { fetchOver, openConnections, type ProxyOf } from '../../proxy.ts';

/** Answers a request that lost its stream before the answer came. */
export const CUT = { code: -32_099, message: 'the connection ended before the answer did' };

/** Answers a request that got more than is read of one answer. */
export const TOO_LARGE = { code: -32_098, message: 'the answer is too large' };

const NOTIFICATION_TIMEOUT_MS = 10_000;

type Send = StreamableHTTPClientTransport['send'];
type Message = Parameters<Send>[0];
type JsonRpcRequest = Extract<JSONRPCMessage, { method: string; id: RequestId }>;

/**
 * Replaces `send` of the SDK's transport, before it is connected, for what the SDK (2.4.0) leaves open about streams.
 * - Why: it keeps a request pending after its stream was cut, and the stream of a cancelled request open.
 * - Gain: such a request is answered at once with `CUT` or `TOO_LARGE`, not at its timeout. No server can keep the
 *   connection of a cancelled call.
 * - Ends when the SDK fails a request at the end of its stream, and closes the stream of an aborted request.
 */
export function patchTransport(transport: StreamableHTTPClientTransport): void {
  const send = transport.send.bind(transport);
  const pending = new Map<RequestId, AbortController>();

  transport.onmessage = (message) => {
    if ('id' in message && message.id !== undefined && !('method' in message)) pending.delete(message.id);
  };
  transport.send = (message, options = {}) =>
    isRequest(message) ? request(message, options) : notify(message, options);

  async function request(message: JsonRpcRequest, options: Parameters<Send>[1]): Promise<void> {
    const { id } = message;
    const stop = new AbortController();
    const given = options?.requestSignal;
    const requestSignal = given ? AbortSignal.any([given, stop.signal]) : stop.signal;
    const answer = (error: typeof CUT) => pending.has(id) && transport.onmessage?.({ jsonrpc: '2.0', id, error });
    const refuse = () => {
      answer(TOO_LARGE);
      stop.abort();
    };
    pending.set(id, stop);
    requestSignal.addEventListener('abort', () => pending.delete(id), { once: true });
    try {
      const patched = { onRequestStreamEnd: () => answer(CUT), ...options, requestSignal };
      await onTooLarge.run(refuse, () => send(message, patched));
    } catch (error) {
      pending.delete(id);
      throw error;
    }
  }

  async function notify(message: Message, options: Parameters<Send>[1]): Promise<void> {
    try {
      await send(message, { ...options, requestSignal: AbortSignal.timeout(NOTIFICATION_TIMEOUT_MS) });
    } finally {
      pending.get(cancelledBy(message) ?? '')?.abort();
    }
  }
}

function isRequest(message: Message): message is JsonRpcRequest {
  return !Array.isArray(message) && 'method' in message && 'id' in message;
}

function cancelledBy(message: Message): RequestId | undefined {
  if (Array.isArray(message) || !('method' in message)) return undefined;
  const id = message.method === 'notifications/cancelled' ? message.params?.requestId : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

const MAX_BYTES = 8 * 1024 * 1024;
const LF = 10;
const CR = 13;

/** Set while a request is sent, and in all that follows from it: what to do when its answer is too large. */
const onTooLarge = new AsyncLocalStorage<() => void>();

/**
 * A `fetch` that reads at most 8 MiB of an answer, and JSON within `JSON_LIMITS`. In a stream of events, which may be
 * endless, each event has that limit. Beyond it `onTooLarge` is called, and the body fails.
 * - Why: the SDK reads and parses an answer over HTTP whatever its size.
 * - Gain: no server can fill the memory of a worker, or block it.
 * - Ends when the SDK takes a limit for HTTP, as it does for stdio (`maxBufferSize`).
 */
export function boundedFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (!response.body) return response;
    const { status, statusText, headers } = response;
    const isStream = /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
    const body = response.body.pipeThrough(limited(isStream ? countEvents() : countAll(), onTooLarge.getStore()));
    return new Response(body, { status, statusText, headers: [...headers] });
  };
}

/** Takes a chunk and returns whether its answer, or its event, is too large. */
type Count = (chunk: Uint8Array) => boolean;

function limited(count: Count, refuse: (() => void) | undefined): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      if (!count(chunk)) return controller.enqueue(chunk);
      refuse?.();
      controller.error(new Error('the answer is too large'));
    },
  });
}

function countAll(): Count {
  const json = startJsonScan();
  let size = 0;
  return (chunk) => {
    size += chunk.length;
    return size > MAX_BYTES || isLarge(scanJson(json, chunk));
  };
}

/** An empty line ends an event; chunks may be cut anywhere. */
function countEvents(): Count {
  let json = startJsonScan();
  let size = 0;
  let isEmptyLine = false;
  return (chunk) => {
    for (let from = 0; from < chunk.length; ) {
      const end = chunk.indexOf(LF, from);
      const line = chunk.subarray(from, end === -1 ? chunk.length : end + 1);
      from += line.length;
      size += line.length;
      if (size > MAX_BYTES || isLarge(scanJson(json, line))) return true;
      isEmptyLine &&= line.every((byte) => byte === LF || byte === CR);
      if (end === -1) continue;
      if (isEmptyLine) [size, json] = [0, startJsonScan()];
      isEmptyLine = true;
      // A JSON string ends with its line; an open one in another field must not hide what follows.
      Object.assign(json, { inString: false, isEscaped: false });
    }
    return false;
  };
}

function isLarge({ deepest, values }: JsonScan): boolean {
  return deepest > JSON_LIMITS.depth || values > JSON_LIMITS.values;
}

/**
 * A `fetch` without timeouts of its own; `close` ends its connections.
 * - Why: Node's fails after five minutes without a byte, and takes no agent of another version of undici.
 * - Gain: a tool may take longer; each call has a timeout of ours.
 * - Ends when Node's `fetch` takes its timeouts as options.
 */
export function openFetchWithoutTimeout(proxyOf: ProxyOf): { fetch: typeof globalThis.fetch; close(): Promise<void> } {
  const connections = openConnections(proxyOf, { headersTimeout: 0, bodyTimeout: 0 });
  return { fetch: fetchOver(connections), close: () => connections.destroy() };
}
