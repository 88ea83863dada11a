import type { ServerResponse } from 'node:http';
import type { Following, Sink } from './follow-turn.ts';

/** What a stream of events says of itself. */
export const EVENT_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};

/**
 * Writes events to a response, past the streams of the web, which take twice the memory: as fast as its reader takes
 * them, and to the end. A reader who goes away is left alone; `left` is told however it ends.
 */
export function writeEvents(
  response: ServerResponse,
  follow: (sink: Sink) => Following,
  left: () => void = () => {},
): void {
  if (response.destroyed) {
    left();
    return;
  }
  response.on('close', left);
  response.on('error', () => {});
  response.writeHead(200, EVENT_HEADERS);
  response.flushHeaders();
  const following = follow({
    isReady: () => !response.writableNeedDrain && !response.destroyed,
    write: (frame) => void response.write(frame),
    end: () => void response.end(),
  });
  response.on('drain', following.advance);
  response.on('close', following.leave);
}
