import type { RequestRefused } from '#core/failure.ts';
import type { LiveEvent, StoredEvent } from '#core/turn/event.ts';
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
