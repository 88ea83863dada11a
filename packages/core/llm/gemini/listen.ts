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

/** A `fetch` for one call, what came through it, and the reply's chunks. */
type Listening = { fetch: Fetch; heard: Heard; chunks(): AsyncGenerator<unknown> };

/**
 * A `fetch` for one call that keeps what the SDK drops: the status, headers and body of a refusal, and an error object
 * inside a stream. The SDK, which makes a response of its own for each event, is shown an empty reply; its chunks are
 * read here, whatever the server made of `alt=sse`: comments, a JSON array, one object.
 */
export function listen(fetch: ModelFetch, signal: AbortSignal): Listening {
  const heard: Heard = { status: null, headers: undefined, error: null };
  let reader: ByteReader | undefined;
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
      return showBytes({ status: 200, headers: new Headers(), body: null }, NOTHING);
    },
    heard,
    chunks: () => chunksOf(reader, heard),
  };
}

const NOTHING = { read: async () => ({ done: true }), cancel: async () => undefined, releaseLock: () => undefined };

/** The chunks of a stream until an error comes for one, which is kept. */
async function* chunksOf(reader: ByteReader | undefined, heard: Heard): AsyncGenerator<unknown> {
  for await (const events of readEvents(piecesOf(reader))) {
    for (const { data } of events) {
      const chunk: unknown = JSON.parse(data);
      heard.error = errorIn(chunk);
      if (heard.error !== null) return;
      yield chunk;
    }
  }
}

function errorIn(chunk: unknown): unknown {
  return typeof chunk === 'object' && chunk !== null && 'error' in chunk ? (chunk.error ?? null) : null;
}

function asEvents(text: string): string {
  const json = parseJson(text);
  const chunks = Array.isArray(json) ? json : [json];
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
}
