import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { ChatRequest } from './chat-request.ts';
import { refusalBody } from './error-body.ts';
import { renderResponse } from './render-response.ts';
import type { SimulatedResponse } from './reply.ts';
import { replyTo } from './reply-to.ts';
import { openClientConnection, sendResponse } from './send-response.ts';

/** A running simulator; `stop` ends its open connections at once. */
export type Simulator = { baseUrl: string; port: number; stop(): Promise<void> };

const MODELS = {
  object: 'list',
  data: [{ id: 'demo', object: 'model', created: 1_767_225_600, owned_by: 'simulator' }],
};

/** Starts a server of OpenAI Chat Completions, scripted by its input. Port 0, the default, takes a free one. */
export async function startSimulator(
  options: { host?: string; port?: number; onRequest?: OnRequest } = {},
): Promise<Simulator> {
  const { host = '127.0.0.1', port = 0, onRequest } = options;
  const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
    const route = `${request.method} ${request.url?.split('?')[0]}`;
    if (route === 'POST /v1/chat/completions') return void answerChat(request, response, onRequest);
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

/** One request to the model. `aborted` resolves when the client disconnected before the answer was over; never otherwise. */
export type ReceivedRequest = { body: ChatRequest; headers: IncomingHttpHeaders; aborted: Promise<void> };
/** Called once for each chat completion that could be read. The answer waits for a promise that it returns. */
type OnRequest = (request: ReceivedRequest) => unknown;

/** Answers one chat completion. Rejects only where `onRequest` throws. */
async function answerChat(request: IncomingMessage, response: ServerResponse, onRequest?: OnRequest) {
  const client = openClientConnection(response);
  const raw = await text(request).catch(() => null);
  if (raw === null) return;

  const parsed = ChatRequest.safeParse(parseJson(raw));
  if (parsed.success) await onRequest?.({ body: parsed.data, headers: request.headers, aborted: client.aborted });
  const attempt = attemptOf(request.headers['x-client-request-id']);
  const simulated = parsed.success
    ? replyTo({ body: parsed.data, bodyLength: raw.length, ...attempt })
    : unreadable(parsed.error);
  const { model, stream, stream_options } = parsed.data ?? { model: '' };
  const meta = {
    requestId: `req_${randomUUID()}`,
    completionId: `chatcmpl-${randomUUID()}`,
    createdAt: Math.floor(Date.now() / 1000),
    model,
    stream: stream === true,
    includeUsage: stream_options?.include_usage === true,
  };
  await sendResponse(renderResponse(simulated, meta), client);
}

/**
 * Pawl sends `<turn>.<round>.<generation>`, generations counted from 0, with a letter behind it for further requests
 * of one attempt. Without that header a request counts as the first attempt.
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

function unreadable(error: z.ZodError): SimulatedResponse {
  const message = `The request is no chat completion request. ${z.prettifyError(error)}`;
  return { kind: 'error', status: 400, headers: {}, body: refusalBody('invalid_request', message), thinkMs: 0 };
}
