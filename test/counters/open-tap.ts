import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy to a store at `url` that lets all bytes through. */
export type Tap = AsyncDisposable & { url: string };

/** Receives the bytes of one connection to a store, in their order. */
export type Receive = (bytes: Buffer) => void;

/** Opens a tap to a store on this machine. Calls `accept` for each connection, and its result for all sent bytes. */
export async function openTap(storeUrl: string, accept: () => Receive): Promise<Tap> {
  const target = new URL(storeUrl);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const receive = accept();
    const store = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, store],
      [store, client],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {}).on('close', () => other.destroySoon());
    }
    client.on('data', receive);
    client.pipe(store);
    store.pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: Object.assign(new URL(storeUrl), { hostname: '127.0.0.1', port: String(port) }).href,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
