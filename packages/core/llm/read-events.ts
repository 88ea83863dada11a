import { breathe } from '../breathe.ts';
import { holdBytes } from './hold-bytes.ts';
import { parseJson } from './parse-json.ts';
import { boundJson, boundReply, REPLY_LIMITS } from './reply-limits.ts';

/** One server-sent event; `name` is null where the server gave it none. */
export type ServerEvent = { name: string | null; data: string };

type Draft = { name: string | null; data: string[]; size: number };

const LF = 10;

/**
 * The events of a stream of server-sent events, in any portions and company of comments; events that came together are
 * told together. A last event without its blank line counts if it is whole; half an event is what a cut leaves, and is
 * dropped. A line or event beyond the limits is a `UnusableReply`, and other work gets its turn between portions.
 */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent[]> {
  const decoder = new TextDecoder();
  const draft: Draft = { name: null, data: [], size: 0 };
  const rest = holdBytes();
  for await (const bytes of body) {
    await breathe();
    const end = bytes.lastIndexOf(LF) + 1;
    if (end > 0) {
      const lines = decoder.decode(rest.release(bytes.subarray(0, end))).split('\n');
      const events = takeLines(draft, lines.slice(0, -1));
      if (events.length > 0) yield events;
    }
    boundReply(rest.size() + bytes.length - end, REPLY_LIMITS.eventBytes, 'in one line');
    rest.hold(bytes.subarray(end));
  }
  const ended = takeLine(draft, decoder.decode(rest.release(new Uint8Array(0))));
  const last = takeLine(draft, '');
  const isWhole = last !== null && parseJson(last.data) !== undefined;
  yield [...(ended ? [ended] : []), ...(isWhole ? [last] : [])];
}

function takeLines(draft: Draft, lines: string[]): ServerEvent[] {
  const events: ServerEvent[] = [];
  for (const line of lines) {
    const event = takeLine(draft, line.endsWith('\r') ? line.slice(0, -1) : line);
    if (event) events.push(event);
  }
  return events;
}

/** Adds a line to the event it belongs to, and answers the event that it ends, if it ends one. */
function takeLine(draft: Draft, line: string): ServerEvent | null {
  if (line === '') return endEvent(draft);
  if (line.startsWith('data:')) {
    draft.size += line.length;
    boundReply(draft.size, REPLY_LIMITS.eventBytes, 'in one event');
    draft.data.push(line.slice(5).trimStart());
  }
  if (line.startsWith('event:')) draft.name = line.slice(6).trim();
  return null;
}

function endEvent(draft: Draft): ServerEvent | null {
  const { name, size } = draft;
  const data = draft.data.length > 0 ? draft.data.splice(0).join('\n') : '';
  draft.name = null;
  draft.size = 0;
  if (size === 0) return null;
  boundJson(data, 'one event');
  return { name, data };
}
