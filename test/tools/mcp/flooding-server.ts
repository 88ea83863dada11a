import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { createServer, listen } from '#test/harness/servers/create-server.ts';

type Message = { id?: number; method: string; params?: { name?: string } };

const JSON_TYPE = { 'content-type': 'application/json' };
const STREAM_TYPE = { 'content-type': 'text/event-stream' };
const MEGABYTE = 'x'.repeat(1024 * 1024);

/**
 * Starts an MCP server that floods its callers, in the way that the called tool names. `left` resolves on a hang-up.
 */
export async function openFloodingServer() {
  const left = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    const message = (await json(request)) as Message;
    response.on('close', () => !response.writableFinished && left.resolve());
    return answer(message, response);
  });
  const { origin, [Symbol.asyncDispose]: close } = await listen(server);

  return {
    url: `${origin}/mcp`,
    left: left.promise,
    [Symbol.asyncDispose]: close,
  };
}

async function answer({ id, method, params }: Message, response: ServerResponse): Promise<unknown> {
  if (id === undefined) return response.writeHead(202).end();
  const say = (result: unknown) => response.writeHead(200, JSON_TYPE).end(JSON.stringify(answerOf(id, result)));
  if (method === 'initialize') return say(greeting);
  if (method !== 'tools/call') return response.writeHead(200, JSON_TYPE).end(JSON.stringify(unknownMethod(id)));
  switch (params?.name) {
    case 'endless_json':
      return flood(response.writeHead(200, JSON_TYPE), `{"jsonrpc":"2.0","id":${id},"result":{"text":"`);
    case 'endless_event':
      return flood(response.writeHead(200, STREAM_TYPE), 'id: 1\r\ndata: {"text":"');
    case 'half_json':
      return write(response.writeHead(200, JSON_TYPE), `{"jsonrpc":"2.0","id":${id},"result":{"text":"${MEGABYTE}`);
    case 'half_event':
      return write(response.writeHead(200, STREAM_TYPE), `data: {"text":"${MEGABYTE}`);
    case 'gzip_bomb':
      response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' });
      return response.end(gzipSync(`{"jsonrpc":"2.0","id":${id},"result":{"text":"${MEGABYTE.repeat(64)}"}}`));
    case 'deep_json':
      return response.writeHead(200, JSON_TYPE).end(deep(id));
    case 'deep_event':
      return response.writeHead(200, STREAM_TYPE).end(`id: "\ndata: ${deep(id)}\n\n`);
    case 'wide_json':
      return response
        .writeHead(200, JSON_TYPE)
        .end(`{"jsonrpc":"2.0","id":${id},"result":{"a":[${'0,'.repeat(400_000)}0]}}`);
    case 'many_blocks':
      return say({ content: Array(1_001).fill({ type: 'text', text: '' }) });
    case 'many_events':
      response.writeHead(200, STREAM_TYPE);
      for (let sent = 0; sent < 12; sent += 1) await write(response, `data: "${MEGABYTE}"\n`, '\n');
      return response.end(`data: ${JSON.stringify(answerOf(id, said('twelve events before')))}\r\n\r\n`);
    default:
      return say(said('a word'));
  }
}

function deep(id: number): string {
  return `{"jsonrpc":"2.0","id":${id},"result":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`;
}

async function flood(response: ServerResponse, start: string): Promise<void> {
  await write(response, start);
  while (!response.destroyed) await write(response, MEGABYTE);
}

async function write(response: ServerResponse, ...chunks: string[]): Promise<void> {
  for (const chunk of chunks) await new Promise((resolve) => response.write(chunk, resolve));
}

const greeting = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'flood', version: '1.0.0' },
};
const said = (text: string) => ({ content: [{ type: 'text', text }] });
const answerOf = (id: number, result: unknown) => ({ jsonrpc: '2.0', id, result });
const unknownMethod = (id: number) => ({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'not known' } });
