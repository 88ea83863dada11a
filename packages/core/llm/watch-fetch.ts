type Fetch = typeof globalThis.fetch;

const LONGEST_ERROR = 64 * 1024;
const DRAIN_MS = 1000;
const LONGEST_REPLY = 16 * 1024 * 1024;

/** A `fetch` for one call and, once the SDK has read it, whether the answer's body came to its end. */
export type WatchedFetch = { fetch: Fetch; hasEnded(): boolean };

/** How one wire's SDK wants to be shown the text of an error, and of a reply sent whole as JSON. */
export type Shape = { error(text: string): string; whole(text: string): string };

/**
 * Shows the SDK what it would otherwise hide: an error body of any shape, a reply sent whole as JSON although a
 * stream was asked for, and where a stream ended. A body left early is read on for a moment, so that its connection
 * can serve the next call; given the caller's own `signal`, the SDK cannot cut it short.
 */
export function watchFetch(fetch: Fetch, shape: Shape, signal?: AbortSignal): WatchedFetch {
  let ended = false;
  const markEnd = () => {
    ended = true;
  };
  return {
    fetch: async (url, init) => {
      const response = await fetch(url, signal ? { ...init, signal } : init);
      if (!response.body) return response;
      if (!response.ok) return rebuild(response, shape.error(await readText(response.body, LONGEST_ERROR)));
      if (isJson(response)) return rebuild(response, shape.whole(await readText(response.body, LONGEST_REPLY)));
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
