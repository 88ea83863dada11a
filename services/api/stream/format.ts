import type { RequestRefused } from '#core/failure.ts';
import type { LiveEvent, StoredEvent } from '#core/turn/event.ts';
import { presentEvent, presentLiveEvent } from '#core/turn/resource/event.ts';
import type { Turn } from '#core/turn/turn.ts';

/**
 * How a stream of a turn is written. Every text is one message and one write; an empty text sends nothing. The texts
 * are made once for all streams of one turn in one format, so they depend on the turn and the event alone.
 */
export type StreamFormat = {
  /** The headers of the response, its content type among them. */
  headers: Record<string, string>;
  /** The number of the last event the client has, where the request carries it; a route has checked the request. */
  resumeAfter(request: StreamRequest): number | undefined;
  durableEvent(turn: Turn, event: StoredEvent): string;
  /** A preview. No client resumes after one, so it has no id. */
  liveEvent(event: LiveEvent): string;
  heartbeat: string;
  /**
   * The last message of a stream after the end of its turn. Where it is empty, a client that has every event already
   * gets status 204 instead of a stream: only that differs from a lost connection.
   */
  end: string;
  /** The last message of a stream that has begun and cannot go on. */
  refusal(refused: RequestRefused): string;
};

/** What a format may read of a request. */
export type StreamRequest = { header(name: string): string | undefined; query(name: string): string | undefined };

/** Server-sent events in the words of Pawl's own API (contract: Events). The stream ends without a message. */
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
  // A client that reconnects is refused by the route.
  refusal: () => '',
};
