import { AsyncLocalStorage } from 'node:async_hooks';
import { JSON_LIMITS, type JsonScan, scanJson, startJsonScan } from '../../scan-json.ts';

type Fetch = typeof globalThis.fetch;

const LIMIT = 8 * 1024 * 1024;
const LF = 10;
const CR = 13;

/** Around whatever sends a request, also later on: what to do when an answer to it is larger than the bound. */
export const onExcess = new AsyncLocalStorage<() => void>();

/**
 * A `fetch` that reads at most 8 MiB of an answer, and JSON within `JSON_LIMITS`. Of a stream of events, which may go on
 * for ever, that is the bound of each event. Beyond it `onExcess` is done, and the body fails.
 */
export function boundAnswers(fetch: Fetch): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (!response.body) return response;
    const { status, statusText, headers } = response;
    const isStream = /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
    const body = response.body.pipeThrough(bound(isStream ? countEvents() : countAll(), onExcess.getStore()));
    return new Response(body, { status, statusText, headers: [...headers] });
  };
}

/** Takes a piece and answers whether there is too much of what it belongs to. */
type Count = (piece: Uint8Array) => boolean;

function bound(count: Count, tell: (() => void) | undefined): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(piece, controller) {
      if (!count(piece)) return controller.enqueue(piece);
      tell?.();
      controller.error(new Error('the answer is too large'));
    },
  });
}

function countAll(): Count {
  const json = startJsonScan();
  let size = 0;
  return (piece) => {
    size += piece.length;
    return size > LIMIT || isLarge(scanJson(json, piece));
  };
}

/** An empty line ends an event; its pieces may come in any cut. */
function countEvents(): Count {
  let json = startJsonScan();
  let size = 0;
  let isEmptyLine = false;
  return (piece) => {
    for (let from = 0; from < piece.length; ) {
      const end = piece.indexOf(LF, from);
      const line = piece.subarray(from, end === -1 ? piece.length : end + 1);
      from += line.length;
      size += line.length;
      if (size > LIMIT || isLarge(scanJson(json, line))) return true;
      isEmptyLine &&= line.every((byte) => byte === LF || byte === CR);
      if (end === -1) continue;
      if (isEmptyLine) [size, json] = [0, startJsonScan()];
      isEmptyLine = true;
      // No text of JSON goes over its line, and one in another field must not hide what follows.
      Object.assign(json, { inString: false, isEscaped: false });
    }
    return false;
  };
}

function isLarge({ deepest, values }: JsonScan): boolean {
  return deepest > JSON_LIMITS.depth || values > JSON_LIMITS.values;
}
