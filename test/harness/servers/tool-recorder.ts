import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer, listen } from './create-server.ts';

/** One call as the tool saw it. `mark`, an argument, names the planned call. `key` is the Idempotency-Key. */
export type RecordedCall = { at: number; tool: string; key: string; mark: string; args: string };

/** A server of HTTP tools, not Pawl's, that records every call. */
export type ToolRecorder = AsyncDisposable & {
  url: string;
  calls: RecordedCall[];
  /** Resolves after a tool has been called so often. */
  called(tool: string, times?: number): Promise<void>;
  release(): void;
};

/**
 * Starts a tool for each path. Each call takes as long as its argument `wait_ms` says, and `slow` answers only when
 * released. A call counts even if its client dies during it.
 */
export async function openToolRecorder(): Promise<ToolRecorder> {
  const calls: RecordedCall[] = [];
  const waiting = new Set<() => void>();
  const released = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    const args = await text(request).catch(() => '');
    const { mark = '', wait_ms = 0 } = readArguments(args);
    const tool = (request.url ?? '').slice(1);
    calls.push({ at: Date.now(), tool, key: String(request.headers['idempotency-key']), mark, args });
    for (const check of waiting) check();
    await (tool === 'slow' ? released.promise : sleep(wait_ms));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ done: mark || tool }));
  });
  const { origin, [Symbol.asyncDispose]: close } = await listen(server);

  return {
    url: origin,
    calls,
    called: (tool, times = 1) =>
      new Promise((resolve) => {
        const check = () => {
          if (calls.filter((call) => call.tool === tool).length < times) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    release: () => released.resolve(),
    [Symbol.asyncDispose]: close,
  };
}

function readArguments(text: string): { mark?: string; wait_ms?: number } {
  try {
    return JSON.parse(text) as { mark?: string; wait_ms?: number };
  } catch {
    return {};
  }
}
