import { createServer as create, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

type Handle = (request: IncomingMessage, response: ServerResponse) => unknown;

/**
 * Creates an HTTP server for a test. Its caller may leave or be killed at any moment, and the test ignores an error that the
 * handler throws afterwards. Any other error ends the test run, as an unhandled rejection.
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
