import type { ServerResponse } from 'node:http';
import type { EventStream, Sink } from './joined-stream.ts';
import type { PendingBytes } from './pending-bytes.ts';

/** `open` starts the stream; `closed` is called once, however it ends. `pending` counts what its client has not read yet. */
type ResponseStream = {
  headers: Record<string, string>;
  pending: PendingBytes;
  open(sink: Sink): EventStream;
  closed(): void;
};

/**
 * Writes a stream to a response as fast as the client reads. It writes to Node's response directly: a web stream
 * takes twice the memory.
 */
export function streamToResponse(response: ServerResponse, { headers, pending, open, closed }: ResponseStream): void {
  if (response.destroyed) {
    closed();
    return;
  }
  response.on('close', closed);
  response.on('error', () => {});
  response.writeHead(200, headers);
  response.flushHeaders();
  const outlet = pending.join(() => response.destroy());
  response.on('close', outlet.leave);
  const stream = open({
    isReady: () => !response.writableNeedDrain && !response.destroyed,
    write: (message) => void response.write(message, outlet.hold(message)),
    end: () => void response.end(),
  });
  response.on('drain', stream.advance);
  response.on('close', stream.leave);
}
