type Fetch = typeof globalThis.fetch;

const LONGEST_ERROR = 64 * 1024;
const DRAIN_MS = 1000;
const LONGEST_REPLY = 16 * 1024 * 1024;

/** A `fetch` for one call and, once the SDK has read it, whether the answer's body came to its end. */
export type WatchedFetch = { fetch: Fetch; hasEnded(): boolean };

/**
 * Shows the SDK what it would otherwise hide: an error body of any shape (it keeps only `error`), a reply sent whole
 * as JSON although a stream was asked for, and where a stream ended.
 */
export function watchFetch(fetch: Fetch): WatchedFetch {
  let ended = false;
  const markEnd = () => {
    ended = true;
  };
  return {
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (!response.body) return response;
      if (!response.ok) return rebuild(response, errorBody(await readText(response.body, LONGEST_ERROR)));
      if (isJson(response)) return rebuild(response, asEvent(await readText(response.body, LONGEST_REPLY)));
      return rebuild(response, watchEnd(response.body, markEnd));
    },
    hasEnded: () => ended,
  };
}

function rebuild({ status, headers }: Response, body: string | ReadableStream): Response {
  return new Response(body, { status, headers: [...headers] });
}

function isJson({ headers }: Response): boolean {
  return /\bjson\b/i.test(headers.get('content-type') ?? '');
}

/** One event of what was sent whole; text that is no JSON object is left as it came. */
function asEvent(text: string): string {
  const json = parse(text);
  return typeof json === 'object' ? `data: ${JSON.stringify(json)}\n\n` : text;
}

function errorBody(text: string): string {
  const json = parse(text);
  const body = Array.isArray(json) ? json[0] : json;
  if (typeof body !== 'object' || body === null) return text;
  // xAI says `{code, error: text}`: only an object under `error` holds everything there is to know.
  return JSON.stringify('error' in body && typeof body.error === 'object' ? body : { error: body });
}

/** Passes a body on, chunk by chunk as it is asked for; the end is marked when the reader has come to it. */
function watchEnd(body: ReadableStream<Uint8Array>, markEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        markEnd();
        controller.close();
      },
      cancel: () => void drain(reader),
    },
    { highWaterMark: 0 },
  );
}

/** The SDK leaves at the sentinel; a body read to its end keeps the connection for the next call. */
async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const giveUp = setTimeout(() => reader.cancel().catch(() => undefined), DRAIN_MS);
  try {
    while (!(await reader.read()).done);
  } catch {
    // It was aborted or cut: there is nothing left to keep.
  } finally {
    clearTimeout(giveUp);
  }
}

/** The text of a body up to a length, in characters; a body that breaks off is what had come. */
async function readText(body: ReadableStream<Uint8Array>, longest: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const bytes of body) {
      text += decoder.decode(bytes, { stream: true });
      if (text.length > longest) break;
    }
  } catch {
    return text;
  }
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
