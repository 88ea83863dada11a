import type { ByteReader } from '../byte-queue.ts';
import type { ModelFetch } from '../model-fetch.ts';
import { parseJson } from '../parse-json.ts';
import { piecesOf } from '../pieces-of.ts';
import { readEvents } from '../read-events.ts';
import { type Fetch, showBytes, watchFetch } from '../watch-fetch.ts';

/** What the wire said to one call; all null until it said anything. */
export type Heard = {
  status: number | null;
  headers: Headers | undefined;
  /** The error that came instead of a reply, or in the middle of one: parsed, or its text. */
  error: unknown;
};

/** A `fetch` for one call, what came through it, and a way to leave what came when nobody reads on. */
type Listening = { fetch: Fetch; heard: Heard; leave(): void };

/**
 * A `fetch` for one call that keeps what the SDK drops: the status, headers and body of a refusal, and an error object
 * inside a stream. The SDK gets plain events, whatever the server made of `alt=sse`: comments, a JSON array, one object.
 */
export function listen(fetch: ModelFetch, signal: AbortSignal): Listening {
  const heard: Heard = { status: null, headers: undefined, error: null };
  let reader: ByteReader | null = null;
  const noted: ModelFetch = async (url, init) => {
    const answer = await fetch(url, init);
    heard.status = answer.status;
    heard.headers = answer.headers;
    return answer;
  };
  const error = (text: string) => {
    heard.error = parseJson(text) ?? text;
    return text;
  };
  const watched = watchFetch(noted, { error, whole: asEvents }, signal);
  return {
    fetch: async (url, init) => {
      const response = await watched(url, init);
      // A refusal may come without a body.
      if (!response.ok) heard.error ??= '';
      if (!response.ok || !response.body) return response;
      reader = response.body.getReader();
      // The SDK makes a response of its own for each event, with all headers it is shown; nobody reads them there.
      return showBytes({ status: 200, headers: new Headers(), body: null }, readerOf(cleanEvents(reader, heard)));
    },
    heard,
    // The SDK leaves a body it does not read to its end open.
    leave: () => void reader?.cancel(),
  };
}

function readerOf(events: AsyncGenerator<Uint8Array>): ByteReader {
  return {
    async read() {
      const { done = false, value } = await events.next();
      return { done, value };
    },
    cancel: () => events.return(undefined),
    releaseLock: () => undefined,
  };
}

async function* cleanEvents(reader: ByteReader, heard: Heard): AsyncGenerator<Uint8Array> {
  for await (const events of readEvents(piecesOf(reader))) {
    const errors = events.map(({ data }) => errorIn(data));
    const at = errors.findIndex((error) => error !== null);
    const plain = at < 0 ? events : events.slice(0, at);
    // One by one: the SDK looks through all it was given for the end of each event.
    for (const { data } of plain) yield Buffer.from(`data: ${data}\n\n`);
    heard.error = errors[at] ?? null;
    if (heard.error !== null) return;
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
