import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { CONNECTION_BOUNDS } from '#core/bounds/connection-bounds.ts';
import { holdBytes } from '#core/bounds/hold-bytes.ts';
import { RequestRefused } from '#core/failure.ts';
import { newId } from '#core/id.ts';
import { errorEnvelope } from './errors.ts';

type Exchange = { request: IncomingMessage; response: ServerResponse };

/** The requests of each connection that have no complete answer yet. */
export type Exchanges = {
  /** Adds a request. Returns false if it exceeds `CONNECTION_BOUNDS`. Such a request gets no answer. */
  admit(request: IncomingMessage, response: ServerResponse): boolean;
  /** Returns whether a request on the connection has no complete answer yet. */
  isBusy(socket: Duplex): boolean;
  /** Refuses further data, after the earlier answers. A connection in the middle of an answer is closed. */
  refuseRest(socket: Duplex, refusal: RequestRefused): void;
};

/** Creates the exchanges, which begin empty. */
export function trackExchanges(): Exchanges {
  const exchanges = new WeakMap<Duplex, Set<Exchange>>();
  const refused = new WeakSet<Duplex>();

  function refuseRest(socket: Duplex, refusal: RequestRefused): void {
    const open = [...(exchanges.get(socket) ?? [])];
    const unanswered = open.findLast(({ request }) => request.complete)?.response;
    const isUnderWay = !unanswered && open.some(({ response }) => response.headersSent);
    if (!socket.writable || isUnderWay) return void socket.destroy();
    if (refused.has(socket)) return;
    refused.add(socket);
    if (unanswered) unanswered.once('close', () => refuseConnection(socket, refusal));
    else refuseConnection(socket, refusal);
  }

  function refuseFlood(socket: Duplex, message: string): void {
    stopReading(socket);
    refuseRest(socket, new RequestRefused(400, 'invalid_http', message));
  }

  return {
    refuseRest,
    isBusy: (socket) => (exchanges.get(socket)?.size ?? 0) > 0,
    admit(request, response) {
      const { socket } = request;
      const open = exchanges.get(socket) ?? new Set();
      if (refused.has(socket)) return false;
      if (open.size >= CONNECTION_BOUNDS.requests) {
        refuseFlood(socket, TOO_MANY_REQUESTS);
        return false;
      }
      const exchange = { request, response };
      exchanges.set(socket, open.add(exchange));
      response.once('close', () => open.delete(exchange));
      response.once('finish', () => closeUnread(request));
      if (request.headers['transfer-encoding'] !== undefined) {
        joinChunks(request, () => (response.headersSent ? socket.destroy() : refuseFlood(socket, TOO_MANY_CHUNKS)));
        response.once('prefinish', () => dropRest(request));
      }
      return true;
    },
  };
}

const TOO_MANY_REQUESTS = `More than ${CONNECTION_BOUNDS.requests} requests arrived on this connection before their answers were sent. Wait for answers, or open more connections.`;
const TOO_MANY_CHUNKS = `The body has more than ${CONNECTION_BOUNDS.chunks.toLocaleString('en')} chunks of less than ${CONNECTION_BOUNDS.bytesPerChunk} bytes. Send larger chunks.`;

/** A reader of the arriving body would resume the socket. */
function stopReading(socket: Duplex): void {
  socket.pause();
  socket.on('resume', () => socket.pause());
}

/** Reads and drops the rest of a body. Node would do this without counting chunks. */
function dropRest(request: IncomingMessage): void {
  if (request.complete) return;
  request.read(0);
  request.resume();
}

/** Closes a connection if the rest of a request has not arrived some seconds after its answer. */
function closeUnread(request: IncomingMessage): void {
  if (request.complete) return;
  const timer = setTimeout(() => !request.complete && request.socket.destroy(), CONNECTION_BOUNDS.unreadMs);
  request.socket.once('close', () => clearTimeout(timer));
}

/** Writes a refusal directly to a connection, and closes it. */
export function refuseConnection(socket: Duplex, refusal: RequestRefused): void {
  if (!socket.writable) return void socket.destroy();
  const body = JSON.stringify(errorEnvelope(refusal));
  const status = `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`;
  const head = `${status}\r\ncontent-type: application/json\r\nx-request-id: ${newId('req')}`;
  const rest = `connection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  socket.end(`${head}\r\n${rest}`, () => socket.destroy());
}

/**
 * Joins the small chunks of a body that arrive at once. Calls `exceed` if there are more than `CONNECTION_BOUNDS`
 * allows.
 * - Why: Node makes a buffer for each chunk. A connection that sent chunks of one byte cost seconds and hundreds of
 *   megabytes.
 * - Remove this when Node joins chunks, or has a limit.
 */
function joinChunks(request: IncomingMessage, exceed: () => void): void {
  const push = request.push.bind(request);
  const held = holdBytes();
  let chunks = 0;
  let bytes = 0;
  let isOver = false;

  const flush = () => {
    // Node does the same for a chunk. The reader resumes the socket.
    if (held.size() > 0 && !push(Buffer.from(held.release()))) request.socket.pause();
  };
  const add = (chunk: Buffer) => {
    chunks += 1;
    bytes += chunk.length;
    isOver ||= chunks > CONNECTION_BOUNDS.chunks + bytes / CONNECTION_BOUNDS.bytesPerChunk;
    if (isOver) return exceed();
    if (held.size() === 0) setImmediate(flush);
    held.hold(chunk);
  };
  request.push = (chunk: Buffer | null) => {
    if (chunk === null || chunk.length >= CONNECTION_BOUNDS.joinedBytes) {
      flush();
      return push(chunk);
    }
    if (!isOver) add(chunk);
    return true;
  };
}
