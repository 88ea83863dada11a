import type { NumberedEvent } from '#core/turn/responses/piece.ts';
import type { WatchedTurn } from '../../../stream/watched-turn.ts';

/** The headers of a response's stream. */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** Returns an event as a single frame, for a single write. */
function eventFrame(event: NumberedEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/**
 * Returns the same as bytes, shared by all streams of a response. For a running round, the last event of each type is
 * shared, because streams at the same position send the same events.
 */
export function sharedEventFrame({ renderings }: WatchedTurn, event: NumberedEvent, isRunning: boolean): Uint8Array {
  return renderings.bytesOf(isRunning ? event.type : event.sequence_number, event, () => eventFrame(event));
}

/** Returns the last frame of a stream that cannot continue. No `[DONE]` follows. */
export function errorFrame({ code, message, number }: { code: string; message: string; number: number }): string {
  return eventFrame({ type: 'error', code, message, param: null, sequence_number: number });
}

/** A comment, so that a silent connection stays open. */
export const HEARTBEAT: Uint8Array = Buffer.from(':\n\n');

/** The last frame of a complete stream. */
export const DONE: Uint8Array = Buffer.from('data: [DONE]\n\n');
