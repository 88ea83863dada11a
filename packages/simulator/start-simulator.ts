import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { readChat } from './chat/read-chat.ts';
import type { ChatRequest } from './chat-request.ts';
import { refusalBody } from './error-body.ts';
import { type Reading, renderError, renderResponse, type Stamp } from './render-response.ts';
import { replyTo } from './reply-to.ts';
import { readResponses } from './responses/read-responses.ts';
import { openClientConnection, sendResponse } from './send-response.ts';

/** A running simulator. `stop` ends its open connections at once. */
export type Simulator = { baseUrl: string; port: number; stop(): Promise<void> };

const MODELS = {
  object: 'list',
  data: [{ id: 'demo', object: 'model', created: 1_767_225_600, owned_by: 'simulator' }],
};

const WIRES: Record<string, (sent: unknown, stamp: Stamp) => Reading> = {
  'POST /v1/chat/completions': readChat,
  'POST /v1/responses': readResponses,
};

/** Starts a server of OpenAI Chat Completions and Responses, scripted by its input. Port 0 takes a free port. */
export async function startSimulator(
  options: { host?: string; port?: number; onRequest?: OnRequest } = {},
): Promise<Simulator> {
  const { host = '127.0.0.1', port = 0, onRequest } = options;
  const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    const route = `${request.method} ${path}`;
    const read = WIRES[route];
    if (read) return void answer(request, response, { path, read, onRequest });
    const [status, body] =
      route === 'GET /v1/models' ? [200, MODELS] : [404, refusalBody('unknown_url', `There is no ${route} here.`)];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  const boundPort = typeof address === 'object' && address ? address.port : port;
  return { baseUrl: `http://${host}:${boundPort}/v1`, port: boundPort, stop };

  async function stop(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }
}

/**
 * A request to the model. `body` is the request that the simulator decides from, as Chat Completions. `sent` is the
 * body as the client sent it to `path`. `aborted` resolves only when the client disconnects before the answer ends.
 */
export type ReceivedRequest = {
  path: string;
  body: ChatRequest;
  sent: Record<string, unknown>;
  headers: IncomingHttpHeaders;
  aborted: Promise<void>;
};
/** Called once for each readable request to the model. If it returns a promise, the answer waits for it. */
type OnRequest = (request: ReceivedRequest) => unknown;
type Route = { path: string; read: (sent: unknown, stamp: Stamp) => Reading; onRequest: OnRequest | undefined };

/** Answers a request to the model. Rejects only if `onRequest` throws. */
async function answer(request: IncomingMessage, response: ServerResponse, { path, read, onRequest }: Route) {
  const client = openClientConnection(response);
  const raw = await text(request).catch(() => null);
  if (raw === null) return;

  const { headers } = request;
  const sent = JsonObject.parse(parseJson(raw));
  const id = randomUUID();
  const reading = read(sent, { id, createdAt: Math.floor(Date.now() / 1000) });
  if (reading.kind === 'unreadable') return sendResponse(renderError(reading.refusal, `req_${id}`), client);

  const { body, refusal, renderer } = reading;
  await onRequest?.({ path, body, sent, headers, aborted: client.aborted });
  const attempt = attemptOf(headers['x-client-request-id']);
  const simulated = refusal ?? replyTo({ body, bodyLength: raw.length, ...attempt });
  await sendResponse(renderResponse(simulated, `req_${id}`, renderer), client);
}

const JsonObject = z.record(z.string(), z.unknown()).catch({});

/**
 * Reads the attempt of a request. Pawl sends `<turn>.<round>.<generation>`, with generations counted from 0. A letter
 * follows for further requests of an attempt. Without that header a request counts as the first attempt.
 */
function attemptOf(name: string | string[] | undefined): { round: number; earlierAttempts: number } {
  const [, round = 1, earlierAttempts = 0] = /(?:\.(\d+))?\.(\d+)[a-z]?$/.exec(String(name)) ?? [];
  return { round: Number(round), earlierAttempts: Number(earlierAttempts) };
}

function parseJson(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}
