import { createParser } from 'eventsource-parser';
import { type HeldBytes, holdBytes } from '../../bounds/hold-bytes.ts';
import { REPLY_BOUNDS } from '../../bounds/reply-bounds.ts';
import { parseJson } from '../../json.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { boundJson, boundReply } from '../unusable-reply.ts';

/** One server-sent event; `name` is null where the server gave it none. */
export type ServerEvent = { name: string | null; data: string };

/**
 * The events of a stream of server-sent events, cut into chunks anywhere; events that came together are yielded together.
 * - A last event without its blank line counts if it is whole; half an event is what a cut leaves, and is dropped.
 * - A line or event beyond the limits, or one event too many, is an `UnusableReply`.
 * - Other work gets its turn between chunks, and between the parts of a chunk with many events.
 */
export async function* readEvents(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<ServerEvent[]> {
  const parse = eventParser();
  // The parser keeps an unfinished event as one string for each line, which weighs many times what was sent.
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

/** Holds the beginning of an event until the rest of the event comes. */
function holdRest(unfinished: HeldBytes, rest: Uint8Array): void {
  unfinished.hold(rest);
  const isLine = unfinished.size() > REPLY_BOUNDS.eventBytes && !unfinished.held().includes(LF);
  boundReply(unfinished.size(), REPLY_BOUNDS.eventBytes, isLine ? 'in one line' : 'in one event');
}

/** So many bytes are parsed at a time, and a line to its end. */
const PART_BYTES = 64 * 1024;

/** The parts of whole lines, cut at the ends of lines. */
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

/** So many events are a few milliseconds of work, however small they are. */
const MOST_AT_ONCE = 200;

const LF = 10;
const CR = 13;
const NOTHING = new Uint8Array(0);

/** Where the last blank line in a chunk ends; 0 where there is none, though it may have begun in what is held. */
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

/** Leaves out lines with other fields than `data` and `event`. The parser makes an error of each unknown field in 10 µs. */
function withoutNoise(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  return lines.filter((line) => MEANS_SOMETHING.test(line)).join('\n');
}
