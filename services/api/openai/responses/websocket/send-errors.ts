import type { WebSocket } from 'ws';
import { SOCKET_BOUNDS } from '#core/bounds/socket-bounds.ts';

/**
 * Returns a function that sends messages which no stream paces, such as errors. A client that does not read them
 * loses its connection.
 */
export function makeSendErrors(socket: WebSocket): (message: object) => void {
  let unread = 0;
  return (message) => {
    const text = Buffer.from(JSON.stringify(message));
    if (unread > SOCKET_BOUNDS.unreadBytes) return socket.terminate();
    unread += text.length;
    socket.send(text, { binary: false }, () => {
      unread -= text.length;
    });
  };
}
