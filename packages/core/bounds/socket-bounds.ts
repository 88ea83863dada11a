import { BODY_BOUNDS } from './body-bounds.ts';

const KIB = 1024;
const MIB = KIB * KIB;

/** Bounds on the WebSockets of the API (docs/limits.md). */
export const SOCKET_BOUNDS = {
  /** Lanes of a connection: names that its messages may give in `stream_id`. */
  lanes: 32,
  /** Responses of a connection that run at a time. */
  running: 16,
  /** Messages of a connection that have no answer yet. */
  messages: 64,
  /** Bytes above the limit of a body for which a message gets an answer. Beyond them its connection is closed. */
  refusedBytes: MIB,
  /** Bytes of errors that the client of a connection has not read. */
  unreadBytes: 256 * KIB,
  /** Milliseconds in which a large message has to arrive. */
  arrivingMs: 60_000,
  /** The minimum of bytes that a waiting message counts for. */
  leastCountedBytes: 4 * KIB,
  /** Bytes of all large messages that arrive, of all messages that wait, and of all kept responses. */
  allBytes: BODY_BOUNDS.allBytes,
};
