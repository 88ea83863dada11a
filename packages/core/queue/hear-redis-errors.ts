import { once } from 'node:events';
import { connect } from 'node:net';

const ASK_EVERY_MS = 5_000;
const ANSWER_MS = 1_000;

/**
 * Tells `onError` why connections to a Redis fail. A Redis without a free connection says so and closes, which a client
 * that has begun to send hears as a reset; so it is asked once more by one that only listens, every five seconds at most.
 */
export function hearRedisErrors(url: string, onError: (error: unknown) => void): (error: unknown) => void {
  let askedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    onError(error);
    if (performance.now() - askedAt < ASK_EVERY_MS) return;
    askedAt = performance.now();
    void firstWords(url).then((words) => {
      if (words) onError(new Error(words));
    });
  };
}

/** What a server says to a client that has just connected; empty for one that waits to be asked, as Redis does. */
async function firstWords(url: string): Promise<string> {
  const { hostname, port, protocol } = new URL(url);
  // Over TLS nothing is said before the handshake.
  if (protocol !== 'redis:') return '';
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 6379 });
  try {
    const [words] = await once(socket, 'data', { signal: AbortSignal.timeout(ANSWER_MS) });
    return String(words).trim();
  } catch {
    return '';
  } finally {
    socket.destroy();
  }
}
