import type { IncomingMessage, RequestListener } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { createServer } from '#test/harness/servers/create-server.ts';

export type Received = { method: string | undefined; headers: IncomingMessage['headers']; body: string };
export type Answer = { status: number; body?: string | Buffer; headers?: Record<string, string> };

/** Starts an HTTP tool on 127.0.0.1 that records its requests. */
export async function toolServer(answer: () => Answer) {
  const received: Received[] = [];
  const listener: RequestListener = async (request, response) => {
    const chunks = await request.toArray();
    received.push({ method: request.method, headers: request.headers, body: Buffer.concat(chunks).toString() });
    const { status, body, headers } = answer();
    response.writeHead(status, headers).end(body);
  };
  const server = createServer(listener);
  const url = await listen(server);
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url, received, [Symbol.asyncDispose]: close };
}

export async function silentServer(onSocket: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createSocketServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    socket.resume();
    onSocket(socket);
  });
  const url = await listen(server);
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return { url, [Symbol.asyncDispose]: close };
}

export async function closedPort(): Promise<number> {
  await using server = await silentServer(() => {});
  return Number(new URL(server.url).port);
}

type Listening = { listen(port: number, host: string, done: () => void): unknown; address(): unknown };

async function listen(server: Listening): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
