import type { NumberedEvent } from '#core/turn/responses/piece.ts';
import type { WatchedTurn } from '../../../stream/watched-turn.ts';

/** The headers of a response's stream (contract-responses R41). */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** An event as it is written: one frame, in one write. */
function eventFrame(event: NumberedEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/**
 * The same as bytes, which all streams of a response share. Of the events of a running round, the last of each type is shared:
 * streams that keep pace send the same.
 */
export function sharedEventFrame({ renderings }: WatchedTurn, event: NumberedEvent, isRunning: boolean): Uint8Array {
  return renderings.bytesOf(isRunning ? event.type : event.sequence_number, event, () => eventFrame(event));
}

/** The last frame of a stream that cannot go on; no `[DONE]` follows (contract-responses R46). */
export function errorFrame({ code, message, number }: { code: string; message: string; number: number }): string {
  return eventFrame({ type: 'error', code, message, param: null, sequence_number: number });
}

/** A comment, so that a silent connection stays open. */
export const HEARTBEAT: Uint8Array = Buffer.from(':\n\n');

/** The last frame of a stream that has told everything. */
export const DONE: Uint8Array = Buffer.from('data: [DONE]\n\n');
