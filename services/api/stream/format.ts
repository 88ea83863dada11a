import type { RequestRefused } from '#core/failure.ts';
import type { LiveEvent, StoredEvent } from '#core/turn/event.ts';
import { presentEvent, presentLiveEvent } from '#core/turn/resource/event.ts';
import type { Turn } from '#core/turn/turn.ts';

/**
 * The format of a turn's stream. Every text is a message and a single write. An empty text sends no message. The
 * texts are made once for all streams of a turn in this format, so they depend only on the turn and the event.
 */
export type StreamFormat = {
  /** The headers of the response, its content type among them. */
  headers: Record<string, string>;
  /**
   * Returns the number of the last event that the client has, if the request carries it. A route has checked the
   * request.
   */
  resumeAfter(request: StreamRequest): number | undefined;
  durableEvent(turn: Turn, event: StoredEvent): string;
  /** Formats a preview. No client resumes after a preview, so it has no id. */
  liveEvent(event: LiveEvent): string;
  heartbeat: string;
  /**
   * The last message of a stream after the end of its turn. If it is empty, a client that already has every event
   * gets status 204 instead of a stream. Otherwise the end would look like a lost connection.
   */
  end: string;
  /** Returns the last message of a stream that has started and cannot continue. */
  refusal(refused: RequestRefused): string;
};

/** The parts of a request that a format may read. */
export type StreamRequest = { header(name: string): string | undefined; query(name: string): string | undefined };

/** Server-sent events in the format of Pawl's own API. The stream ends without a message. */
export const nativeFormat: StreamFormat = {
  headers: {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  },
  resumeAfter: ({ header }) => {
    // Browsers may send the header without a value before they have received any event.
    const id = header('last-event-id');
    return id ? Number(id) : undefined;
  },
  durableEvent: (turn, event) =>
    `event: ${event.type}\nid: ${event.number}\ndata: ${JSON.stringify(presentEvent(turn, event))}\n\n`,
  liveEvent: (event) => `event: ${event.type}\ndata: ${JSON.stringify(presentLiveEvent(event))}\n\n`,
  heartbeat: ':\n\n',
  end: '',
  // A route refuses a client that reconnects.
  refusal: () => '',
};
