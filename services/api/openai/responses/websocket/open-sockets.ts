import type { IncomingMessage } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { SOCKET_BOUNDS } from '#core/bounds/socket-bounds.ts';
import { RequestRefused } from '#core/failure.ts';
import { newId } from '#core/id.ts';
import type { ApiContext } from '../../../context.ts';
import type { Caller } from '../../../http/api-keys.ts';
import { makeBodyRoom } from '../../../http/body/body-room.ts';
import { refuseConnection } from '../../../http/exchanges.ts';
import { refusalOfOrigin } from '../../../http/foreign-origin.ts';
import { RESPONSE_BASES } from '../../../http/response-base.ts';
import { SERVER_TIMES, type Upgrades } from '../../../http/server.ts';
import { boundArrivingMessages } from './arriving-messages.ts';
import type { AnswerRequest } from './create-over.ts';
import { makeKeptBytes } from './kept-bytes.ts';
import { makeKeptResponses } from './kept-responses.ts';
import { type SocketTimer, serveSocket } from './serve-socket.ts';

/**
 * The WebSockets of a process. `close` closes them, and destroys the WebSockets of clients that do not answer in
 * time.
 */
export type ResponseSockets = Upgrades & { close(graceMs: number): void };

type SocketParts = {
  context: Pick<ApiContext, 'db' | 'bodyLimit' | 'log' | 'keys' | 'isClosing'>;
  answer: AnswerRequest;
  timer?: SocketTimer;
};

/** Proxies close a connection that is silent for longer. */
const PING_EVERY_MS = 10_000;

/** The code of a close, and its reason. */
const STOPPING = [1001, 'This server is stopping.'] as const;

const PATHS: string[] = RESPONSE_BASES.map((base) => `${base}/responses`);

const afterAnHour: SocketTimer = (expire) => {
  const timer = setTimeout(expire, 3_600_000).unref();
  return () => clearTimeout(timer);
};

/**
 * Accepts WebSockets of clients with a key. All other requests are answered as plain requests. A test may give
 * another timer.
 */
export function openResponseSockets({ context, answer, timer = afterAnHour }: SocketParts): ResponseSockets {
  const maxPayload = context.bodyLimit + SOCKET_BOUNDS.refusedBytes;
  const allBytes = Math.max(SOCKET_BOUNDS.allBytes, 2 * maxPayload);
  const [arriving, waiting] = [makeBodyRoom(allBytes), makeBodyRoom(allBytes)];
  const keptBytesOf = makeKeptBytes(allBytes);
  const server = new WebSocketServer({ noServer: true, maxPayload });
  server.on('headers', (headers) => headers.push(`x-request-id: ${newId('req')}`));
  server.on('wsClientError', (_, socket) => refuseConnection(socket, badHandshake()));
  const pings = setInterval(() => {
    for (const client of server.clients) client.ping();
  }, PING_EVERY_MS).unref();

  function open(socket: WebSocket, opening: IncomingMessage, { project }: Caller): void {
    socket.on('error', () => {});
    // A client that reads no data, not even a ping, is disconnected as on other connections.
    opening.socket.setTimeout(SERVER_TIMES.idleMs, () => socket.terminate());
    serveSocket(socket, {
      ...{ context, answer, opening, timer },
      kept: makeKeptResponses(context.bodyLimit, keptBytesOf(project)),
      arrived: boundArrivingMessages(socket, opening.socket, () => arriving.enter(project, maxPayload)),
      enterWaiting: (bytes) => waiting.tryEnter(project, Math.max(bytes, SOCKET_BOUNDS.leastCountedBytes)),
    });
  }
  return {
    takes: (request) => isHandshake(request) && isWelcome(request, context),
    take: (request, socket, head) => {
      const caller = context.keys.callerOf(request.headers.authorization);
      if (!caller || context.isClosing()) return refuseConnection(socket, stopping());
      server.handleUpgrade(request, socket, head, (opened) => open(opened, request, caller));
    },
    close: (graceMs) => {
      clearInterval(pings);
      for (const client of server.clients) client.close(...STOPPING);
      const terminate = () => {
        for (const client of server.clients) client.terminate();
      };
      setTimeout(terminate, graceMs).unref();
    },
  };
}

function stopping(): RequestRefused {
  return new RequestRefused(503, 'server_stopping', 'This server is stopping. Connect again.');
}

function badHandshake(): RequestRefused {
  const message = 'The WebSocket handshake is not valid. Check the headers that begin with Sec-WebSocket-.';
  return new RequestRefused(400, 'invalid_http', message);
}

/** Returns whether a request is a WebSocket handshake for responses, in the version that Pawl speaks. */
function isHandshake({ method, url = '/', headers, httpVersion }: IncomingMessage): boolean {
  const [path = ''] = url.split('?');
  const isWebSocket = headers.upgrade?.toLowerCase() === 'websocket' && headers['sec-websocket-version'] === '13';
  return method === 'GET' && httpVersion === '1.1' && isWebSocket && headers.host !== undefined && PATHS.includes(path);
}

/** Returns whether the key of a request is valid and its origin may use the API. */
function isWelcome(request: IncomingMessage, { keys }: Pick<ApiContext, 'keys'>): boolean {
  const header = (name: string) => {
    const value = request.headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  return keys.callerOf(request.headers.authorization) !== null && !refusalOfOrigin(keys, 'GET', header);
}
