import type { ToWatchers } from './live.ts';

/** Characters of a delta that surely fit a NOTIFY payload (8,000 bytes) whatever they are, escapes included. */
const PIECE = 1_200;

/** A message in pieces small enough for NOTIFY: deltas are addressed, so a piece is a delta of its own. */
export function splitMessage(message: ToWatchers): ToWatchers[] {
  if (message.kind !== 'event' || !('delta' in message.event) || message.event.delta.length <= PIECE) return [message];
  const { event } = message;
  return pieces(event.delta).map(({ at, text }) => ({
    ...message,
    event: 'offset' in event ? { ...event, delta: text, offset: event.offset + at } : { ...event, delta: text },
  }));
}

function pieces(text: string): { at: number; text: string }[] {
  const parts = [];
  for (let at = 0; at < text.length; at += PIECE) parts.push({ at, text: text.slice(at, at + PIECE) });
  return parts;
}
