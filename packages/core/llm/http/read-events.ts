import { createParser } from 'eventsource-parser';
import { type HeldBytes, holdBytes } from '../../bounds/hold-bytes.ts';
import { REPLY_BOUNDS } from '../../bounds/reply-bounds.ts';
import { parseJson } from '../../json.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { boundJson, boundReply } from '../unusable-reply.ts';

/** One server-sent event. `name` is null if the server sent none. */
export type ServerEvent = { name: string | null; data: string };

/**
 * Yields the events of a stream of server-sent events with any chunk boundaries. Events of one chunk are yielded
 * together.
 * - A last event without its blank line counts if it is complete. An incomplete event was cut, and is dropped.
 * - A line or event beyond the limits, or one event too many, is an `UnusableReply`.
 * - Other work runs between chunks, and between the parts of a chunk with many events.
 */
export async function* readEvents(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<ServerEvent[]> {
  const parse = eventParser();
  // The parser stores an unfinished event as a string per line, which uses much more memory than the bytes.
  const unfinished = holdBytes();
  let count = 0;
  for await (const bytes of body) {
    await yieldToEventLoop();
    const end = endOfEvents(unfinished, bytes);
    const whole = end > 0 ? unfinished.release(bytes.subarray(0, end)) : NOTHING;
    const events: ServerEvent[] = [];
    for (const [index, part] of partsOf(whole).entries()) {
      if (index > 0) await yieldToEventLoop();
      events.push(...parse(part));
    }
    count += events.length;
    boundReply(count, REPLY_BOUNDS.events, 'events in one answer');
    for (let at = 0; at < events.length; at += MOST_AT_ONCE) {
      if (at > 0) await yieldToEventLoop();
      yield events.slice(at, at + MOST_AT_ONCE);
    }
    if (end < bytes.length) holdRest(unfinished, bytes.subarray(end));
  }
  const ended = parse(unfinished.release(), '\n');
  const last = parse(NOTHING, '\n').filter(({ data }) => parseJson(data) !== undefined);
  yield [...ended, ...last];
}

/** Holds the beginning of an event until the rest arrives. */
function holdRest(unfinished: HeldBytes, rest: Uint8Array): void {
  unfinished.hold(rest);
  const isLine = unfinished.size() > REPLY_BOUNDS.eventBytes && !unfinished.held().includes(LF);
  boundReply(unfinished.size(), REPLY_BOUNDS.eventBytes, isLine ? 'in one line' : 'in one event');
}

/** The bytes to parse at a time, up to the end of their line. */
const PART_BYTES = 64 * 1024;

/** Cuts bytes into parts at ends of lines. */
function partsOf(bytes: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (let at = PART_BYTES; at < bytes.length; at += 1) {
    const isLineEnd = bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] !== LF);
    if (!isLineEnd) continue;
    parts.push(bytes.subarray(from, at + 1));
    from = at + 1;
    at += PART_BYTES;
  }
  if (from < bytes.length) parts.push(from > 0 ? bytes.subarray(from) : bytes);
  return parts;
}

/** The most events at a time: a few milliseconds of work, even for small events. */
const MOST_AT_ONCE = 200;

const LF = 10;
const CR = 13;
const NOTHING = new Uint8Array(0);

/**
 * Returns the end of the last blank line in a chunk, or 0 without a blank line. The line may begin in the held bytes.
 */
function endOfEvents(held: HeldBytes, bytes: Uint8Array): number {
  const at = (index: number) => (index >= 0 ? bytes[index] : held.held().at(index));
  for (let end = bytes.lastIndexOf(LF); end >= 0; end = end > 0 ? bytes.lastIndexOf(LF, end - 1) : -1) {
    const lineEnd = at(end - 1) === CR ? at(end - 2) : at(end - 1);
    if (lineEnd === LF) return end + 1;
  }
  return 0;
}

function eventParser(): (bytes: Uint8Array, more?: string) => ServerEvent[] {
  const decoder = new TextDecoder();
  let events: ServerEvent[] = [];
  let hasNoise = false;
  const parser = createParser({
    onError: () => {
      hasNoise = true;
    },
    onEvent({ event, data }) {
      boundReply(data.length, REPLY_BOUNDS.eventBytes, 'in one event');
      boundJson(data, 'one event');
      events.push({ name: event?.trim() || null, data });
    },
  });
  return (bytes, more = '') => {
    events = [];
    const text = decoder.decode(bytes) + more;
    parser.feed(hasNoise || text.length > FEW_CHARACTERS ? withoutNoise(text) : text);
    return events;
  };
}

const FEW_CHARACTERS = 4096;
const MEANS_SOMETHING = /^(?:data|event)?(?::|$)/;

/**
 * Removes lines with other fields than `data` and `event`, since the parser makes an error of each unknown field in
 * 10 µs.
 */
function withoutNoise(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  return lines.filter((line) => MEANS_SOMETHING.test(line)).join('\n');
}
