import { parseJson } from '../parse-json.ts';

/**
 * The data of each event in a stream of server-sent events, in any portions and company of comments; events that came
 * together are told together. A last event without its blank line counts if it is whole; half an event is what a cut
 * leaves, and is dropped.
 */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  const data: string[] = [];
  let rest = '';
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    const lines = rest.split(/\r?\n/);
    rest = lines.pop() ?? '';
    const events = lines.flatMap((line) => takeLine(data, line));
    if (events.length > 0) yield events;
  }
  const ended = takeLine(data, rest);
  const last = data.join('\n');
  yield parseJson(last) === undefined ? ended : [...ended, last];
}

/** Adds a line to the event it belongs to, and answers the event that it ends, if it ends one. */
function takeLine(data: string[], line: string): string[] {
  if (line.startsWith('data:')) data.push(line.slice(5).trimStart());
  return line === '' && data.length > 0 ? [data.splice(0).join('\n')] : [];
}
