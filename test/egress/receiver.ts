import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from 'node:net';
import { createServer } from '#test/harness/servers/create-server.ts';

/** An external server on loopback that records its connections. */
export type Receiver = AsyncDisposable & { url: string; port: number; connections: Socket[] };

/** Starts an HTTP receiver, by default at 127.0.0.1 on a free port. */
export async function startReceiver(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  at: { host?: string; port?: number } = {},
): Promise<Receiver> {
  return await listen(createServer(answer), at);
}

/** Starts a receiver that writes raw bytes, for answers that no HTTP library writes. */
export async function startRawReceiver(speak: (socket: Socket) => void): Promise<Receiver> {
  return await listen(createSocketServer(speak), {});
}

async function listen(server: Server, at: { host?: string; port?: number }): Promise<Receiver> {
  const { host = '127.0.0.1', port: wanted = 0 } = at;
  const connections: Socket[] = [];
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => {});
    connections.push(socket);
  });
  server.listen(wanted, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${port}`,
    port,
    connections,
    async [Symbol.asyncDispose]() {
      for (const socket of connections) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Writes a text repeatedly after the request has arrived, as fast as the other side reads. */
export function pour(socket: Socket, text: string): void {
  const much = text.repeat(1_000);
  const send = () => {
    while (!socket.destroyed && socket.write(much));
    socket.once('drain', send);
  };
  socket.once('data', send);
}
