import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { z } from 'zod';
import { answerRequest } from './background/answer-request.ts';
import { createBackground } from './background/create-background.ts';
import { endedResponse } from './background/kept-response.ts';
import { type KeptResponses, openKeptResponses } from './background/kept-responses.ts';
import { type ResponseRequest, readResponseRequest } from './background/response-request.ts';
import type { ResponseLimits } from './background/response-store.ts';
import { answerBatchRequest } from './batches/answer-batch-request.ts';
import { type BatchRequest, readBatchRequest } from './batches/batch-request.ts';
import type { BatchLimits } from './batches/batch-store.ts';
import { type KeptBatches, openKeptBatches } from './batches/kept-batches.ts';
import { readChat } from './chat/read-chat.ts';
import type { ChatRequest } from './chat-request.ts';
import { refusalBody } from './error-body.ts';
import { readContents } from './gemini/read-contents.ts';
import { readMessages } from './messages/read-messages.ts';
import { type Reading, renderBody, renderResponse, type Stamp } from './render-response.ts';
import { replyTo } from './reply-to.ts';
import { readResponses } from './responses/read-responses.ts';
import type { ResponseMeta } from './responses/response-object.ts';
import { openClientConnection, sendResponse } from './send-response.ts';

/**
 * A running simulator. `responses` and `batches` are kept in its memory. `stop` ends its open connections and all
 * productions at once.
 */
export type Simulator = {
  baseUrl: string;
  port: number;
  responses: KeptResponses;
  batches: KeptBatches;
  stop(): Promise<void>;
};

const MODELS = {
  object: 'list',
  data: [{ id: 'demo', object: 'model', created: 1_767_225_600, owned_by: 'simulator' }],
};

type ReadWire = (sent: unknown, stamp: Stamp) => Reading & { meta?: ResponseMeta };

const WIRES: Record<string, ReadWire> = {
  'POST /v1/chat/completions': readChat,
  'POST /v1/responses': readResponses,
  'POST /v1/messages': readMessages,
};

/** Returns the reader of a route, or undefined. Gemini names the model and the form of its answer in the path. */
function wireAt(route: string): ReadWire | undefined {
  const [, model, action] = /^POST \/v1(?:beta)?\/models\/([^/:]+):(generate|streamGenerate)Content$/.exec(route) ?? [];
  if (!model) return WIRES[route];
  return (sent, stamp) => readContents({ sent, model, isStream: action === 'streamGenerate' }, stamp);
}

type SimulatorOptions = {
  host?: string;
  port?: number;
  onRequest?: OnRequest;
  onResponseRequest?: OnResponseRequest;
  onBatchRequest?: OnBatchRequest;
  limits?: Partial<ResponseLimits>;
  batchLimits?: Partial<BatchLimits>;
};

/** Starts a server of model APIs, scripted by its input. Port 0 takes a free port. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { host = '127.0.0.1', port = 0, onRequest, onResponseRequest, onBatchRequest } = options;
  const kept = openKeptResponses(options.limits);
  const keptBatches = openKeptBatches(options.batchLimits);
  const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    const route = `${request.method} ${path}`;
    const read = wireAt(route);
    if (read) return void answer(request, response, { path, read, onRequest, kept });
    const batch = readBatchRequest(request);
    if (batch) return void answerBatch(batch, [request, response], { keptBatches, onBatchRequest });
    const about = readResponseRequest(request.method, request.url);
    if (about) return void answerAbout({ ...about, headers: request.headers }, response, { kept, onResponseRequest });
    const [status, body] =
      route === 'GET /v1/models' ? [200, MODELS] : [404, refusalBody('unknown_url', `There is no ${route} here.`)];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  const boundPort = typeof address === 'object' && address ? address.port : port;
  const baseUrl = `http://${host}:${boundPort}/v1`;
  return { baseUrl, port: boundPort, responses: kept.responses, batches: keptBatches.batches, stop };

  async function stop(): Promise<void> {
    kept.stop();
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
/** Called once for each request about a response. If it returns a promise, the answer waits for it. */
type OnResponseRequest = (request: ResponseRequest) => unknown;
/** Called once for each request about batches, before its effect. If it returns a promise, the answer waits for it. */
type OnBatchRequest = (request: BatchRequest) => unknown;
type Kept = ReturnType<typeof openKeptResponses>;
type Route = { path: string; read: ReadWire; onRequest: OnRequest | undefined; kept: Kept };

/** Answers a request to the model. Rejects only if `onRequest` throws. */
async function answer(request: IncomingMessage, response: ServerResponse, { path, read, onRequest, kept }: Route) {
  const client = openClientConnection(response);
  const raw = await text(request).catch(() => null);
  if (raw === null) return;

  const { headers } = request;
  const sent = JsonObject.parse(parseJson(raw));
  const id = randomUUID();
  const reading = read(sent, { id, createdAt: Math.floor(Date.now() / 1000) });
  const requestId = `req_${id}`;
  if (reading.kind === 'unreadable') return sendResponse(renderBody(reading.refusal, requestId), client);

  const { body, refusal, renderer, meta } = reading;
  if (meta) kept.count('create');
  await onRequest?.({ path, body, sent, headers, aborted: client.aborted });
  const simulated = refusal ?? replyTo({ body, bodyLength: raw.length, ...attemptOf(headers[REQUEST_NAME]) });
  const createdBy = nameOf(headers);
  if (meta?.request.background && simulated.kind === 'reply') {
    return createBackground(simulated, meta, { store: kept.store, client, requestId, createdBy, renderer });
  }
  await sendResponse(renderResponse(simulated, requestId, renderer), client);
  const isWhole = simulated.kind === 'reply' && !simulated.flaw && client.isEnded();
  if (meta && meta.request.store !== false && isWhole) kept.store.keep(endedResponse(simulated.reply, meta, createdBy));
}

type About = { kept: Kept; onResponseRequest: OnResponseRequest | undefined };

/** Answers a request about a response. Rejects only if `onResponseRequest` throws. */
async function answerAbout(
  about: Omit<ResponseRequest, 'createdBy'>,
  response: ServerResponse,
  { kept, onResponseRequest }: About,
): Promise<void> {
  const client = openClientConnection(response);
  kept.count(about.kind);
  const createdBy = kept.store.find(about.id)?.createdBy ?? null;
  await onResponseRequest?.({ ...about, createdBy });
  await answerRequest(about, { store: kept.store, client, requestId: `req_${randomUUID()}` });
}

type AboutBatches = { keptBatches: ReturnType<typeof openKeptBatches>; onBatchRequest: OnBatchRequest | undefined };

/** Answers a request about batches, after its body has arrived. Rejects only if `onBatchRequest` throws. */
async function answerBatch(
  batch: BatchRequest,
  [request, response]: [IncomingMessage, ServerResponse],
  { keptBatches, onBatchRequest }: AboutBatches,
): Promise<void> {
  const client = openClientConnection(response);
  const body = await buffer(request).catch(() => null);
  if (body === null) return;
  keptBatches.count(batch.act);
  await onBatchRequest?.(batch);
  await answerBatchRequest(batch, body, { store: keptBatches.store, client, requestId: `req_${randomUUID()}` });
}

const REQUEST_NAME = 'x-client-request-id';

function nameOf({ [REQUEST_NAME]: name }: IncomingHttpHeaders): string | null {
  return typeof name === 'string' ? name : null;
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
