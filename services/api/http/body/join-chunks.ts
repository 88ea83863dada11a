import type { IncomingMessage } from 'node:http';
import { CONNECTION_BOUNDS } from '#core/bounds/connection-bounds.ts';
import { holdBytes } from '#core/bounds/hold-bytes.ts';

/**
 * Joins the small chunks of a body that come at once, and calls `exceed` if there are more than `CONNECTION_BOUNDS` allows.
 * - Why: Node makes a buffer of its own of each chunk. One connection that sends chunks of one byte cost seconds and
 *   hundreds of megabytes.
 * - Ends when Node joins them, or takes a limit.
 */
export function joinChunks(request: IncomingMessage, exceed: () => void): void {
  const push = request.push.bind(request);
  const held = holdBytes();
  let chunks = 0;
  let bytes = 0;
  let isOver = false;

  const flush = () => {
    // As Node does for a chunk; the reader resumes the socket.
    if (held.size() > 0 && !push(Buffer.from(held.release()))) request.socket.pause();
  };
  const add = (chunk: Buffer) => {
    chunks += 1;
    bytes += chunk.length;
    isOver ||= chunks > CONNECTION_BOUNDS.chunks + bytes / CONNECTION_BOUNDS.bytesPerChunk;
    if (isOver) return exceed();
    if (held.size() === 0) setImmediate(flush);
    held.hold(chunk);
  };
  request.push = (chunk: Buffer | null) => {
    if (chunk === null || chunk.length >= CONNECTION_BOUNDS.joinedBytes) {
      flush();
      return push(chunk);
    }
    if (!isOver) add(chunk);
    return true;
  };
}
