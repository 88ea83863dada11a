import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ServerType, serve } from '@hono/node-server';
import { Misconfigured, RequestRefused } from '#core/failure.ts';
import { newId } from '#core/id.ts';
import { refused } from '../schemas/errors/error-codes.ts';
import { errorEnvelope } from './errors.ts';
import { type Exchanges, trackExchanges } from './exchanges.ts';

/** The number of connections that a server keeps, and the time limits of requests and idle connections. */
export type ServerLimits = { connections: number; headersMs: number; requestMs: number; idleMs: number };

/** The answer to a long poll takes up to 60 s. A stream writes every 10 s. */
export const SERVER_TIMES = { headersMs: 10_000, requestMs: 60_000, idleMs: 75_000 };

/** Handles requests for another protocol than HTTP. The server answers every other request as plain HTTP. */
export type Upgrades = {
  takes(request: IncomingMessage): boolean;
  /** Takes over the connection of such a request. `head` has the bytes that arrived after the request. */
  take(request: IncomingMessage, socket: Duplex, head: Buffer): void;
};

const NO_UPGRADES: Upgrades = { takes: () => false, take: (_, socket) => void socket.destroy() };

/** Connections beyond the limit that still get an answer. Further connections are closed without an answer. */
const REFUSED_WITH_ANSWER = 100;

type Listener = (request: Request, env: { incoming: { socket: Duplex } }) => Response | Promise<Response>;

/** Listens and enforces the limits. Refusals by Node itself have the error envelope too. */
export async function openServer(
  answer: Listener,
  { host, port }: { host: string; port: number },
  { upgrades = NO_UPGRADES, ...limits }: ServerLimits & { upgrades?: Upgrades },
): Promise<Server> {
  const tooMany = new WeakSet<Duplex>();
  const fetch: Listener = (request, env) =>
    tooMany.has(env.incoming.socket) ? answerOnce(request, () => answer(request, env)) : answer(request, env);
  const exchanges = trackExchanges();
  const mayUpgrade = (socket: Duplex) => !tooMany.has(socket) && !exchanges.isBusy(socket);
  const serverOptions = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    // Longer than load balancers keep connections. Otherwise they would send a request on a connection that is
    // closing.
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: limits.headersMs / 4,
    shouldUpgradeCallback: (request: IncomingMessage) => mayUpgrade(request.socket) && upgrades.takes(request),
  };
  // The type has all overloads. This overload is in use.
  const create = ((given: ServerOptions, listener: RequestListener) =>
    createStrict(exchanges, given, listener)) as typeof createServer;
  const options = { fetch, hostname: host, port, createServer: create, serverOptions };
  const server = await new Promise<ServerType>((resolve, reject) => {
    const opened = serve(options, () => resolve(opened));
    opened.on('upgrade', upgrades.take);
    opened.on('error', (error) => reject(explainListening(error, { host, port })));
    markTooMany(opened as Server, limits.connections, tooMany);
    refuseInEnvelope(opened as Server, exchanges, limits);
  });
  return (server as Server).setTimeout(limits.idleMs);
}

/** Returns the reason why the server cannot listen, if the operator can fix it. Otherwise the error itself. */
function explainListening(error: Error, { host, port }: { host: string; port: number }): Error {
  switch ('code' in error && error.code) {
    case 'EADDRINUSE':
      return new Misconfigured(
        `PORT: ${port} on ${host} is in use. Set another port, or stop the process that uses it.`,
      );
    case 'EACCES':
      return new Misconfigured(`PORT: this user may not listen on ${port}. Set a port of 1024 or above.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new Misconfigured(
        `HOST: ${host} is not an address of this machine. Set an address of this machine, for example 127.0.0.1.`,
      );
    default:
      return error;
  }
}

/** Makes a server that answers an HTTP/1.1 request without `Host` itself. Node would refuse it without a body. */
function createStrict(exchanges: Exchanges, options: ServerOptions, listener: RequestListener): Server {
  return createServer({ ...options, requireHostHeader: false }, (request, response) => {
    if (!exchanges.admit(request, response)) return;
    if (request.headers.host !== undefined || request.httpVersion !== '1.1') return listener(request, response);
    const message = 'The request has no Host header. Send a Host header, as HTTP/1.1 requires.';
    refuse(response, new RequestRefused(400, 'invalid_http', message, 'Host'));
  });
}

/** Marks the connections beyond the limit. Each gets a single answer: a refusal, or the answer of a health check. */
function markTooMany(server: Server, limit: number, tooMany: WeakSet<Duplex>): void {
  let open = 0;
  server.maxConnections = limit + REFUSED_WITH_ANSWER;
  server.on('connection', (socket: Socket) => {
    open += 1;
    if (open > limit) tooMany.add(socket);
    socket.once('close', () => {
      open -= 1;
    });
  });
}

/** A health check is answered even then, because an orchestrator would stop a busy process that refuses the check. */
async function answerOnce({ method, url }: Request, answer: () => ReturnType<Listener>): Promise<Response> {
  const isCheck = (method === 'GET' || method === 'HEAD') && new URL(url).pathname === '/healthz';
  if (!isCheck) return busy();
  const response = await answer();
  response.headers.set('connection', 'close');
  return response;
}

function busy(): Response {
  const headers = { 'retry-after': '1', connection: 'close', 'x-request-id': newId('req') };
  return Response.json(errorEnvelope(refused('too_many_connections')), { status: 503, headers });
}

/** Refuses bytes that are not a request, after the answers to earlier requests. */
function refuseInEnvelope(server: Server, exchanges: Exchanges, limits: ServerLimits): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    exchanges.admit(request, response);
    refuse(response, refused('expectation_failed'));
  });
  server.on('clientError', (error: Error & { code?: string }, socket: Duplex) => {
    if (error.code === 'ECONNRESET') socket.destroy(error);
    else exchanges.refuseRest(socket, refusalOf(error.code, limits));
  });
}

/** Answers a request that reaches no route. The rest of the request is not read, so its connection is closed. */
function refuse(response: ServerResponse, refusal: RequestRefused): void {
  const body = JSON.stringify(errorEnvelope(refusal));
  response.setHeader('content-type', 'application/json').setHeader('content-length', Buffer.byteLength(body));
  response.writeHead(refusal.status, { connection: 'close', 'x-request-id': newId('req') });
  response.end(body);
}

function refusalOf(code: string | undefined, { headersMs, requestMs }: ServerLimits): RequestRefused {
  if (code === 'HPE_HEADER_OVERFLOW') return refused('headers_too_large');
  if (code !== 'ERR_HTTP_REQUEST_TIMEOUT') return refused('invalid_http');
  const message =
    `The request did not arrive in time. Send its headers within ${headersMs / 1000} s and the whole ` +
    `request within ${requestMs / 1000} s.`;
  return new RequestRefused(408, 'request_timeout', message);
}
