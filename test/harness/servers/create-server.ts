import { createServer as create, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Handle = (request: IncomingMessage, response: ServerResponse) => unknown;

/**
 * Creates an HTTP server for a test. A client may disconnect or be killed at any moment, and the test ignores an
 * error that the handler throws afterwards. Any other error ends the test run, as an unhandled rejection.
 */
export function createServer(handle: Handle): Server {
  return create(async (request, response) => {
    try {
      await handle(request, response);
    } catch (error) {
      if (!request.socket.destroyed) throw error;
    }
  });
}

/** Starts a server on a free port of this machine. Disposing it closes all its connections. */
export async function listen(server: Server): Promise<AsyncDisposable & { origin: string; port: number }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...{ origin: `http://127.0.0.1:${port}`, port },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
