import { connect, createServer, type Socket } from 'node:net';

/**
 * Opens a TCP proxy to `url` that cuts its first connections, each after a number of answer bytes, and no later
 * connections.
 */
export async function openCuttingProxy(url: string, cuts: readonly number[]) {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((client) => {
    let left = cuts[connections] ?? Number.POSITIVE_INFINITY;
    connections += 1;
    const upstream = connect(Number(target.port), target.hostname);
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    client.pipe(upstream);
    upstream.on('data', (bytes) => {
      const passing = bytes.subarray(0, left);
      left -= passing.length;
      if (left > 0) client.write(passing);
      else client.end(passing, end);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();

  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    count: () => connections,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
