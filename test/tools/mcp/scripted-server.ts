import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { createServer, listen } from '#test/harness/servers/create-server.ts';

export type Message = {
  id: number;
  method?: string;
  params?: { _meta?: Record<string, unknown>; name?: string; cursor?: string };
};

/** A request to the server: its message if it is a POST, its session, and the address of the server. */
export type McpExchange = {
  request: IncomingMessage;
  response: ServerResponse;
  message: Message;
  forget: () => unknown;
};

/** Answers a tool call, after its effect. */
export type AnswerCall = (exchange: McpExchange) => unknown;

type Script = {
  hasSessions: boolean;
  /** Whether the server has the newest protocol, which has no sessions. */
  isNewest?: boolean;
  greeting?: unknown;
  /** The status of the answer to messages of this method. */
  refusals?: Readonly<Record<string, number>>;
  onCall: AnswerCall;
  /** Returns a page of tools. Without it, the server refuses the request as unknown. */
  onList?: (message: Message) => unknown;
  /** Answers a ping. Without it, a ping succeeds. */
  onPing?: AnswerCall;
  /** Answers a GET, which resumes a stream. */
  onGet?: (request: IncomingMessage, response: ServerResponse) => unknown;
  /** The path to which all requests for `/mcp` are redirected. */
  movedTo?: string;
};

/**
 * Starts an MCP server that answers calls as the test says. With sessions, it refuses unknown sessions, like real
 * servers. `seen` counts tool calls, GET requests, new sessions, and answers to the server's own requests.
 */
export async function openScriptedMcpServer({
  hasSessions,
  isNewest = false,
  greeting = greetingOf(),
  refusals = {},
  onCall,
  onList,
  onPing = succeed,
  onGet = notOffered,
  movedTo,
}: Script) {
  const seen = { calls: 0, streams: 0, sessions: 0, answers: 0 };
  let session: string | null = null;

  const begin = (response: ServerResponse, id: number) => {
    seen.sessions += 1;
    session = `session-${seen.sessions}`;
    return say(response, id, greeting, hasSessions ? { 'mcp-session-id': session } : {});
  };
  const forget = () => {
    session = null;
  };
  const answerRequest = (message: Message, request: IncomingMessage, response: ServerResponse) => {
    switch (message.method) {
      case 'server/discover':
        return isNewest ? say(response, message.id, discovered) : refuse(response, message.id, -32_601);
      case 'ping':
        return onPing({ request, response, message, forget });
      case 'tools/list':
        return onList ? sayLater(response, message.id, onList(message)) : refuse(response, message.id, -32_601);
      case 'tools/call':
        return onCall({ request, response, message, forget });
      default:
        return refuse(response, message.id, -32_601);
    }
  };
  const answer = (message: Message, request: IncomingMessage, response: ServerResponse) => {
    if (message.method === 'tools/call') seen.calls += 1;
    if (message.method === undefined) seen.answers += 1;
    const refusal = refusals[message.method ?? ''];
    if (refusal !== undefined) return response.writeHead(refusal).end();
    if (message.method === 'initialize') return begin(response, message.id);
    if (hasSessions && request.headers['mcp-session-id'] !== session) return response.writeHead(404).end('no session');
    if (message.id === undefined || message.method === undefined) return response.writeHead(202).end();
    return answerRequest(message, request, response);
  };
  const server = createServer(async (request, response) => {
    if (movedTo && request.url !== movedTo) return response.writeHead(307, { location: movedTo }).end();
    if (request.method === 'DELETE') return response.writeHead(204).end();
    if (request.method === 'POST') return answer((await json(request)) as Message, request, response);
    seen.streams += 1;
    return onGet(request, response);
  });
  const { origin, [Symbol.asyncDispose]: close } = await listen(server);

  return {
    url: `${origin}/mcp`,
    seen,
    [Symbol.asyncDispose]: close,
  };
}

function succeed({ response, message }: McpExchange): unknown {
  return say(response, message.id, {});
}

function notOffered(_: IncomingMessage, response: ServerResponse): unknown {
  return response.writeHead(405).end();
}

export function say(response: ServerResponse, id: number, result: unknown, headers = {}): unknown {
  response.writeHead(200, { 'content-type': 'application/json', ...headers });
  return response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

async function sayLater(response: ServerResponse, id: number, result: unknown): Promise<unknown> {
  return say(response, id, await result);
}

export function refuse(response: ServerResponse, id: number, code: number, status = 200): unknown {
  response.writeHead(status, { 'content-type': 'application/json' });
  return response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'refused' } }));
}

export function beginStream(response: ServerResponse, start = ''): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(start || ':\n\n');
  return response;
}

export function greetingOf(fields: object = {}): object {
  const serverInfo = { name: 'scripted', version: '1.0.0' };
  return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo, ...fields };
}

const discovered = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
