import { parseJson } from './parse-json.ts';

/** One server-sent event; `name` is null where the server gave it none. */
export type ServerEvent = { name: string | null; data: string };

type Draft = { name: string | null; data: string[] };

/**
 * The events of a stream of server-sent events, in any portions and company of comments; events that came together are
 * told together. A last event without its blank line counts if it is whole; half an event is what a cut leaves, and is
 * dropped.
 */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent[]> {
  const decoder = new TextDecoder();
  const draft: Draft = { name: null, data: [] };
  let rest = '';
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    const lines = rest.split(/\r?\n/);
    rest = lines.pop() ?? '';
    const events = lines.flatMap((line) => takeLine(draft, line));
    if (events.length > 0) yield events;
  }
  const ended = takeLine(draft, rest);
  const last = takeLine(draft, '').filter(({ data }) => parseJson(data) !== undefined);
  yield [...ended, ...last];
}

/** Adds a line to the event it belongs to, and answers the event that it ends, if it ends one. */
function takeLine(draft: Draft, line: string): ServerEvent[] {
  if (line.startsWith('data:')) draft.data.push(line.slice(5).trimStart());
  if (line.startsWith('event:')) draft.name = line.slice(6).trim();
  if (line !== '') return [];
  const { name } = draft;
  const data = draft.data.splice(0);
  draft.name = null;
  return data.length > 0 ? [{ name, data: data.join('\n') }] : [];
}
