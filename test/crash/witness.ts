import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One call that reached the tool, as the tool saw it. */
export type Witnessed = { path: string; key: string; body: string };

/**
 * A tool server that remembers every call, for tests that ask how often something really happened. `/slow` answers
 * only when released; a caller that dies meanwhile has been counted all the same.
 */
export async function startWitness(): Promise<
  AsyncDisposable & {
    url: string;
    calls: Witnessed[];
    called(path: string, times?: number): Promise<void>;
    release(): void;
  }
> {
  const calls: Witnessed[] = [];
  const heard = new Set<() => void>();
  const released = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    calls.push({
      path: request.url ?? '',
      key: String(request.headers['idempotency-key']),
      body: await textOf(request),
    });
    for (const check of heard) check();
    if (request.url === '/slow') await released.promise;
    response.end(JSON.stringify({ done: request.url }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    called: (path, times = 1) =>
      new Promise((resolve) => {
        const check = () => {
          if (calls.filter((call) => call.path === path).length < times) return;
          heard.delete(check);
          resolve();
        };
        heard.add(check);
        check();
      }),
    release: () => released.resolve(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
