import { request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createServer } from './create-server.ts';

/**
 * A forward proxy that alone resolves some hosts. `seen` has each request: `CONNECT host:port` or `POST
 * http://host/path`.
 */
export type ForwardProxy = AsyncDisposable & { url: string; seen: string[]; passwords: (string | undefined)[] };

/** Opens a proxy. `hosts` maps each host to a port of 127.0.0.1. It answers 403 for any other host. */
export async function openForwardProxy(hosts: Record<string, number>): Promise<ForwardProxy> {
  const seen: string[] = [];
  const passwords: ForwardProxy['passwords'] = [];
  const sockets = new Set<Socket>();
  const note = ({ method, url, headers }: IncomingMessage) => {
    seen.push(`${method} ${url}`);
    passwords.push(headers['proxy-authorization']);
  };
  const server = createServer((request, response) => {
    note(request);
    const { hostname } = new URL(request.url ?? '');
    forwardTo(hosts[hostname], request, response);
  });
  server.on('connection', (socket) => keep(sockets, socket));
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    note(request);
    const port = hosts[request.url?.replace(/:\d+$/, '') ?? ''];
    if (port === undefined) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const target = keep(sockets, connect(port, '127.0.0.1'));
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    socket.pipe(target).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...{ url: `http://127.0.0.1:${port}`, seen, passwords },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function forwardTo(port: number | undefined, request: IncomingMessage, response: ServerResponse): void {
  if (port === undefined) return void response.writeHead(403).end('not here');
  const { pathname, search } = new URL(request.url ?? '');
  const { method, headers } = request;
  const onward = forward({ port, host: '127.0.0.1', path: pathname + search, method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  request.pipe(onward);
}

function keep(sockets: Set<Socket>, socket: Socket): Socket {
  socket.on('error', () => {});
  return sockets.add(socket) && socket;
}

/** Returns the port in a URL of a server on this machine. */
export function portOf(url: string): number {
  return Number(new URL(url).port);
}
