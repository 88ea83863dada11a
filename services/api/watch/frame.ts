import type { LiveEvent, StoredEvent } from '#core/turn/event.ts';
import { presentEvent } from '#core/turn/present-event.ts';
import type { Turn } from '#core/turn/turn.ts';

/** One durable event on the wire, with its number. */
export type Frame = { number: number; bytes: Uint8Array };

/** A comment that keeps a silent stream open. */
export const HEARTBEAT: Uint8Array = Buffer.from(':\n\n');

/** A live event on the wire; it has no id, since nobody can resume after it. */
export function liveFrame(event: LiveEvent): Uint8Array {
  return Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

/** Durable events on the wire, one by one: a reader who stops half-way does not pay for the rest. */
export function* durableFrames(turn: Turn, events: StoredEvent[]): Generator<Frame> {
  for (const event of events) {
    const data = JSON.stringify(presentEvent(turn, event));
    yield { number: event.number, bytes: Buffer.from(`event: ${event.type}\nid: ${event.number}\ndata: ${data}\n\n`) };
  }
}
