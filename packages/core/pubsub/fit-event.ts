import type { LiveEvent } from '../turn/event.ts';
import type { HostedCall } from '../turn/hosted/hosted.ts';

/** The most UTF-8 bytes of an event, which fits the payload of a NOTIFY (8,000 bytes) with its address. */
const MOST_BYTES = 7_800;

/** The characters of a text that always fit, with all escapes. */
const CHUNK_LENGTH = 1_200;

/** The value of a progress that does not fit. */
const LEFT_OUT = { left_out: 'the progress was too large for a live event' };

/**
 * Returns an event as events that fit NOTIFY. A payload that is too large would fail the whole statement, with all its
 * other messages. Deltas have an offset, so each chunk is its own delta. A hosted call loses the end of its texts, and
 * its input if that is large: the saved round has both.
 */
export function fitEvent(event: LiveEvent): LiveEvent[] {
  if ('delta' in event) return splitDelta(event);
  if (fits(event)) return [event];
  if ('hosted_call' in event) return shortenings(event).filter(fits).slice(0, 1);
  return event.type === 'tool_call.progress' ? [{ ...event, value: LEFT_OUT }] : [];
}

function fits(event: LiveEvent): boolean {
  return Buffer.byteLength(JSON.stringify(event)) <= MOST_BYTES;
}

type HostedEvent = Extract<LiveEvent, { hosted_call: HostedCall }>;

/** Returns shorter forms of an event about a hosted call, the longest first. */
function shortenings(event: HostedEvent): HostedEvent[] {
  const { hosted_call: call } = event;
  const forms = [
    { input: call.input, length: CHUNK_LENGTH },
    { input: null, length: CHUNK_LENGTH },
    { input: null, length: CHUNK_LENGTH / 4 },
  ];
  return forms.map(({ input, length }) => {
    const texts = { output: cut(call.output, length), error: cut(call.error, length) };
    return { ...event, hosted_cut: true, hosted_call: { ...call, input, ...texts } };
  });
}

function cut(text: string | null, length: number): string | null {
  return text === null ? null : text.slice(0, length).toWellFormed();
}

type DeltaEvent = Extract<LiveEvent, { delta: string }>;

function splitDelta(event: DeltaEvent): LiveEvent[] {
  if (event.delta.length <= CHUNK_LENGTH) return [event];
  return chunks(event.delta).map(({ at, text }) =>
    'offset' in event ? { ...event, delta: text, offset: event.offset + at } : { ...event, delta: text },
  );
}

function chunks(text: string): { at: number; text: string }[] {
  const parts = [];
  for (let at = 0; at < text.length; at += CHUNK_LENGTH) parts.push({ at, text: text.slice(at, at + CHUNK_LENGTH) });
  return parts;
}
