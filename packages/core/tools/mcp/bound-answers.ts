import { AsyncLocalStorage } from 'node:async_hooks';

type Fetch = typeof globalThis.fetch;

const LIMIT = 8 * 1024 * 1024;
const LF = 10;
const CR = 13;

/** Around whatever sends a request, also later on: what to do when an answer to it is larger than the bound. */
export const onExcess = new AsyncLocalStorage<() => void>();

/**
 * A `fetch` that reads at most 8 MiB of an answer. Of a stream of events, which may go on for ever, that is the bound
 * of each event. Beyond it `onExcess` is done, and the body fails.
 */
export function boundAnswers(fetch: Fetch): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (!response.body) return response;
    const { status, statusText, headers } = response;
    const isStream = /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
    const body = response.body.pipeThrough(bound(isStream ? countEvent() : countAll(), onExcess.getStore()));
    return new Response(body, { status, statusText, headers: [...headers] });
  };
}

/** Answers how many bytes there are so far, this piece included. */
type Count = (piece: Uint8Array) => number;

function bound(count: Count, tell: (() => void) | undefined): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(piece, controller) {
      if (count(piece) <= LIMIT) return controller.enqueue(piece);
      tell?.();
      controller.error(new Error('the answer is larger than 8 MiB'));
    },
  });
}

function countAll(): Count {
  let size = 0;
  return (piece) => {
    size += piece.length;
    return size;
  };
}

/** An empty line ends an event; its pieces may come in any cut. */
function countEvent(): Count {
  let size = 0;
  let last = 0;
  return (piece) => {
    for (const byte of piece) {
      if (byte === CR) continue;
      size = byte === LF && last === LF ? 0 : size + 1;
      last = byte;
    }
    return size;
  };
}
