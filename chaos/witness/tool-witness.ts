import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** One call that reached a tool: `mark` says which call of which turn was planned, `key` is the Idempotency-Key. */
export type ToolCallSeen = { at: number; tool: string; key: string; mark: string; args: string };

/** The tools of the load, somebody else's server, and every call that reached it. */
export type ToolWitness = AsyncDisposable & { url: string; calls: ToolCallSeen[] };

/** Starts the tools; each takes as long as its arguments say (`wait_ms`). */
export async function openToolWitness(): Promise<ToolWitness> {
  const calls: ToolCallSeen[] = [];
  const server = createServer(async (request, response) => {
    const args = await text(request).catch(() => '');
    const { mark = '', wait_ms = 0 } = readArguments(args);
    const tool = (request.url ?? '').slice(1);
    calls.push({ at: Date.now(), tool, key: String(request.headers['idempotency-key']), mark, args });
    await sleep(wait_ms);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ done: mark }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function readArguments(text: string): { mark?: string; wait_ms?: number } {
  try {
    return JSON.parse(text) as { mark?: string; wait_ms?: number };
  } catch {
    return {};
  }
}
