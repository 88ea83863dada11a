import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { openServer, SERVER_TIMES, type ServerLimits } from '#services/api/http/server.ts';

const RARELY = { connections: 100, ...SERVER_TIMES };

/** Starts a server with one route, and returns a way to open sockets to it. */
export async function serve(limits: Partial<ServerLimits>) {
  let asked = 0;
  const bodies: string[] = [];
  const answer = async (request: Request) => {
    asked += 1;
    if (!request.url.endsWith('/unread')) bodies.push(await request.text());
    return new Response(request.url.endsWith('/large') ? 'x'.repeat(50_000_000) : 'ok');
  };
  const server = await openServer(answer, { host: '127.0.0.1', port: 0 }, { ...RARELY, ...limits });
  const { port } = server.address() as AddressInfo;
  let closed = 0;
  const looks = new Set<() => void>();
  server.on('connection', (socket: Socket) =>
    socket.once('close', () => {
      closed += 1;
      for (const look of looks) look();
    }),
  );
  return {
    port,
    asked: () => asked,
    bodies,
    send: (head: string) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(head);
      return socket;
    },
    /** Resolves when so many connections are closed. */
    closed: (many: number) =>
      new Promise<void>((resolve) => {
        const look = () => closed >= many && resolve();
        looks.add(look);
        look();
      }),
    [Symbol.asyncDispose]: async () => {
      const over = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await over;
    },
  };
}

/** Parses an answer as the connection received it. */
export function parse(answer: string) {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const [line = '', ...headers] = head.split('\r\n');
  const pairs = headers.map((header): [string, string] => [header.split(': ')[0]!, header.split(': ')[1]!]);
  return { status: Number(line.split(' ')[1]), headers: new Headers(pairs), body: body ? JSON.parse(body) : null };
}
