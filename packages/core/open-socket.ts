import { connect, type Socket } from 'node:net';

type Address = { host: string[]; port: number[]; path?: string | false };

const CONNECT_MS = 5_000;
const SILENCE_MS = 20_000;

/**
 * A socket to Postgres that gives up after a long silence, idle or in the middle of an answer. A network that loses
 * bytes without closing connections is then an error within seconds, and never a query that hangs for good.
 */
export function openSocket({ host, port, path }: Address): Promise<Socket> {
  const socket = path ? connect({ path }) : connect({ host: host[0] ?? 'localhost', port: port[0] ?? 5432 });
  return new Promise((resolve, reject) => {
    socket.setTimeout(CONNECT_MS, () => socket.destroy(tooLate()));
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      socket.removeAllListeners('timeout');
      socket.setTimeout(SILENCE_MS, () => socket.destroy());
      resolve(socket);
    });
  });
}

function tooLate(): Error {
  return Object.assign(new Error('Postgres did not answer in time'), { code: 'CONNECT_TIMEOUT' });
}
