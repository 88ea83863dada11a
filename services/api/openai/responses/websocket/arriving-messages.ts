import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { BODY_BOUNDS } from '#core/bounds/body-bounds.ts';
import { SOCKET_BOUNDS } from '#core/bounds/socket-bounds.ts';

/** Waits for room for a large message. The returned function frees the room. */
export type EnterRoom = () => Promise<() => void>;

/** The bytes of a client's control frame without its payload. */
const CONTROL_BYTES = 6;

/**
 * Pauses a connection once a message exceeds `BODY_BOUNDS.smallBytes`, until the process has room for it. The rest of
 * the message has to arrive in time, or the connection is closed. The returned function frees the room: it is called
 * for each message that has arrived.
 */
export function boundArrivingMessages(socket: WebSocket, raw: Duplex, enter: EnterRoom): () => void {
  let unread = 0;
  let leave: (() => void) | null = null;

  function arrived(): void {
    unread = 0;
    leave?.();
    leave = null;
  }
  function waitForRoom(): () => void {
    let timer: NodeJS.Timeout | undefined;
    const entering = enter();
    socket.pause();
    void entering.then(() => {
      socket.resume();
      timer = setTimeout(() => socket.terminate(), SOCKET_BOUNDS.arrivingMs).unref();
    });
    return () =>
      void entering.then((free) => {
        clearTimeout(timer);
        free();
      });
  }
  // This listener runs before the listener of `ws`, so it counts the bytes before the message is complete.
  raw.prependListener('data', (chunk: Buffer) => {
    unread += chunk.length;
    if (unread > BODY_BOUNDS.smallBytes) leave ??= waitForRoom();
  });
  for (const control of ['ping', 'pong'] as const) {
    socket.on(control, (data: Buffer) => {
      unread = Math.max(0, unread - data.length - CONTROL_BYTES);
    });
  }
  socket.once('close', arrived);
  return arrived;
}
