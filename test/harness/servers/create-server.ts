import { createServer as create, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

type Handle = (request: IncomingMessage, response: ServerResponse) => unknown;

/**
 * An HTTP server of a test. Its caller may leave, or be killed, at any moment: what the handler fails with afterwards is no
 * failure of the test. Any other failure ends the test run, as an unhandled rejection.
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
