import { randomUUID } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { createServer } from './create-server.ts';

/**
 * The kind of MCP server. `newest` has the newest protocol and keeps no state. `sessions` has an older protocol, and
 * answers in streams.
 */
export type McpKind = 'newest' | 'sessions';

/** One call that reached the server. `left` resolves when its client gave up. */
export type ReceivedCall = { tool: string; meta: Record<string, unknown>; left: Promise<void> };

/**
 * Opens an MCP server that is not Pawl's, on loopback and, by default, a free port. It records its calls. With
 * `images` in base64 it has another tool, `show_map`, which answers with them.
 */
export async function openExternalMcpServer({ kind = 'newest' as McpKind, port = 0, images = [] as string[] } = {}) {
  const calls: ReceivedCall[] = [];
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const answering = new Set<ServerResponse>();
  const waiting = new Set<() => void>();
  const checkAll = () => {
    for (const check of waiting) check();
  };
  const record = (call: ReceivedCall) => {
    calls.push(call);
    checkAll();
  };
  const until = (isTrue: () => boolean) =>
    new Promise<void>((resolve) => {
      const check = () => isTrue() && waiting.delete(check) && resolve();
      waiting.add(check);
      check();
    });
  const make = () => withMap(serverWith(record), images);
  // The type of its handler requires a stricter request than Node's.
  const newest = toNodeHandler(createMcpHandler(make)) as RequestListener;
  const listener = kind === 'newest' ? newest : withSessions(make, sessions);
  const server = createServer((request, response) => {
    if (request.method === 'POST') answering.add(response.on('close', () => answering.delete(response) && checkAll()));
    return listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    port: address.port,
    calls,
    sessions: () => sessions.size,
    /** Returns the call of that number, from 1, as soon as it has arrived. */
    arrival: async (number: number): Promise<ReceivedCall> => {
      await until(() => calls.length >= number);
      return calls[number - 1]!;
    },
    /** Resolves once every answer is complete. */
    quiet: () => until(() => answering.size === 0),
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function withSessions(
  make: () => McpServer,
  sessions: Map<string, NodeStreamableHTTPServerTransport>,
): RequestListener {
  return async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (known) return known.handleRequest(request, response);
    if (id !== undefined) return void response.writeHead(404).end('no such session');
    const transport: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (made) => void sessions.set(made, transport),
      onsessionclosed: (gone) => void sessions.delete(gone),
    });
    await make().connect(transport);
    return transport.handleRequest(request, response);
  };
}

/** Registers tools of every kind: they answer, measure, refuse, record, and `wait` until their client gives up. */
function serverWith(record: (call: ReceivedCall) => void): McpServer {
  const server = new McpServer({ name: 'external', version: '1.0.0' });
  const reads = { description: 'Looks up a city', inputSchema: city, annotations: { readOnlyHint: true } };
  const says = (text: string) => ({ content: [{ type: 'text' as const, text }] });

  server.registerTool('look_up', reads, ({ city }, { mcpReq }) => {
    note(record, 'look_up', mcpReq);
    // Many servers send the same answer twice: as text, and as structured content.
    const content = city === 'Atlantis' ? 'No such city' : `${city} is a city`;
    return { ...says(content), isError: city === 'Atlantis', structuredContent: { content } };
  });
  const measured = { ...reads, outputSchema: z.object({ city: z.string(), celsius: z.number() }) };
  server.registerTool('measure', measured, ({ city }, { mcpReq }) => {
    note(record, 'measure', mcpReq);
    return { content: [], structuredContent: { city, celsius: 22 } };
  });
  server.registerTool('book', { title: 'Books a city', inputSchema: city }, ({ city }, { mcpReq }) => {
    note(record, 'book', mcpReq);
    return { ...says(`${city} is full`), isError: true, structuredContent: { city, beds: 0 } };
  });
  server.registerTool('visit', { inputSchema: city, annotations: { idempotentHint: true } }, (_, { mcpReq }) => {
    note(record, 'visit', mcpReq);
    return says('noted');
  });
  server.registerTool('wait', { inputSchema: z.object({}) }, async (_, { mcpReq }) => {
    const left = note(record, 'wait', mcpReq);
    const progressToken = mcpReq._meta?.progressToken ?? '';
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 2 } });
    await left;
    return says('waited');
  });
  server.registerTool('odd.name', reads, () => says('never called'));
  return server;
}

function withMap(server: McpServer, images: string[]): McpServer {
  const map = images.map((data) => ({ type: 'image' as const, mimeType: 'image/png', data }));
  const content = [{ type: 'text' as const, text: 'The map:' }, ...map];
  if (images.length > 0) server.registerTool('show_map', { inputSchema: z.object({}) }, () => ({ content }));
  return server;
}

const city = z.object({ city: z.string() });

type Seen = { signal: AbortSignal; _meta?: Record<string, unknown> | undefined };

function note(record: (call: ReceivedCall) => void, tool: string, { signal, _meta: meta = {} }: Seen): Promise<void> {
  const left = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  record({ tool, meta, left });
  return left;
}
