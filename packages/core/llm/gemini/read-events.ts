import { parseJson } from '../parse-json.ts';

/**
 * The data of each event in a stream of server-sent events, in any portions and company of comments. A last
 * event without its blank line counts if it is whole; half an event is what a cut leaves, and is dropped.
 */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const line of readLines(body)) {
    if (line.startsWith('data:')) data.push(line.slice(5).trimStart());
    if (line !== '' || data.length === 0) continue;
    yield data.join('\n');
    data = [];
  }
  const rest = data.join('\n');
  if (parseJson(rest) !== undefined) yield rest;
}

async function* readLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    const lines = rest.split(/\r?\n/);
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}
