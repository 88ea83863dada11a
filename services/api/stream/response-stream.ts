import type { ServerResponse } from 'node:http';
import type { EventStream, Sink } from './joined-stream.ts';
import type { PendingBytes } from './pending-bytes.ts';

/**
 * `open` starts the stream. `closed` is called once, however the stream ends. `pending` counts bytes that its client
 * has not read yet.
 */
type ResponseStream = {
  headers: Record<string, string>;
  pending: PendingBytes;
  project: string;
  turnId: string;
  open(sink: Sink): EventStream;
  closed(): void;
};

/** Writes a stream to Node's response as fast as the client reads. A web stream would use twice the memory. */
export function streamToResponse(response: ServerResponse, stream: ResponseStream): void {
  const { headers, pending, project, turnId, open, closed } = stream;
  if (response.destroyed) {
    closed();
    return;
  }
  response.on('close', closed);
  response.on('error', () => {});
  response.writeHead(200, headers);
  response.flushHeaders();
  const outlet = pending.join({ project, turnId, close: () => response.destroy() });
  response.on('close', outlet.leave);
  const { advance, leave } = open({
    isReady: () => !response.writableNeedDrain && !response.destroyed,
    write: (message) => void response.write(message, outlet.hold(message)),
    end: () => void response.end(),
  });
  response.on('drain', advance);
  response.on('close', leave);
}
