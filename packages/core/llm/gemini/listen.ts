import { parseJson } from '../parse-json.ts';
import { watchFetch } from '../watch-fetch.ts';
import { readEvents } from './read-events.ts';

type Fetch = typeof globalThis.fetch;

/** What the wire said to one call; all null until it said anything. */
export type Heard = {
  status: number | null;
  headers: Headers | undefined;
  /** The error that came instead of a reply, or in the middle of one: parsed, or its text. */
  error: unknown;
};

/**
 * A `fetch` for one call that keeps what the SDK drops: the status, headers and body of a refusal, and an error object
 * inside a stream. The SDK gets plain events, whatever the server made of `alt=sse`: comments, a JSON array, one object.
 */
export function listen(fetch: Fetch): { fetch: Fetch; heard: Heard } {
  const heard: Heard = { status: null, headers: undefined, error: null };
  const noted: Fetch = async (url, init) => {
    const response = await fetch(url, init);
    heard.status = response.status;
    heard.headers = response.headers;
    return response;
  };
  const error = (text: string) => {
    heard.error = parseJson(text) ?? text;
    return text;
  };
  const watched = watchFetch(noted, { error, whole: asEvents });
  const listening: Fetch = async (url, init) => {
    const response = await watched.fetch(url, init);
    // A refusal may come without a body.
    if (!response.ok) heard.error ??= '';
    if (!response.ok || !response.body) return response;
    return new Response(ReadableStream.from(cleanEvents(response.body, heard)), { headers: response.headers });
  };
  return { fetch: listening, heard };
}

async function* cleanEvents(body: ReadableStream<Uint8Array>, heard: Heard): AsyncGenerator<Uint8Array> {
  for await (const data of readEvents(body)) {
    heard.error = errorIn(data);
    if (heard.error !== null) return;
    yield Buffer.from(`data: ${data}\n\n`);
  }
}

function errorIn(data: string): unknown {
  if (!data.includes('"error"')) return null;
  const json = parseJson(data);
  return typeof json === 'object' && json !== null && 'error' in json ? json.error : null;
}

function asEvents(text: string): string {
  const json = parseJson(text);
  const chunks = Array.isArray(json) ? json : [json];
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
}
