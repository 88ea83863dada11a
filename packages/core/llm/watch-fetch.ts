import type { ByteReader } from './byte-queue.ts';
import type { ModelAnswer, ModelFetch, ModelInit } from './model-fetch.ts';
import { piecesOf } from './pieces-of.ts';

/** A `fetch` as an SDK takes it. */
export type Fetch = typeof globalThis.fetch;

const LONGEST_ERROR = 64 * 1024;
const DRAIN_MS = 1000;
const LONGEST_REPLY = 16 * 1024 * 1024;

/** How one wire's SDK wants to be shown the text of an error, and of a reply sent whole as JSON. */
export type Shape = { error(text: string): string; whole(text: string): string };

/**
 * Shows the SDK what it would otherwise hide: an error body of any shape, a reply sent whole as JSON although a
 * stream was asked for. A body left early is read on for a moment, so that its connection
 * can serve the next call: only the caller's own `signal` ends the call, the SDK cannot cut it short.
 */
export function watchFetch(fetch: ModelFetch, shape: Shape, signal: AbortSignal): Fetch {
  return async (url, init) => {
    // What the SDKs send is always of this kind: a URL as text, and a body of JSON.
    const answer = await fetch(url as string, { ...init, signal } as ModelInit);
    const reader = answer.body?.getReader();
    if (!isOk(answer)) return showText(answer, shape.error(reader ? await readText(reader, LONGEST_ERROR) : ''));
    if (!reader) return showBytes(answer, null);
    if (isJson(answer)) return showBytes(answer, textReader(shape.whole(await readText(reader, LONGEST_REPLY))));
    return showBytes(answer, readOn(reader));
  };
}

/** A refusal as the SDK reads it. */
function showText(answer: ModelAnswer, text: string): Response {
  return show(answer, { body: null, text: async () => text, json: async () => JSON.parse(text) });
}

/** A reply as the SDK reads it: by the reader of its body, and in no other way. */
export function showBytes(answer: ModelAnswer, reader: ByteReader | null): Response {
  return show(answer, { body: reader && { getReader: () => reader } });
}

/** A web `Response` and its stream cost more than all the rest of a call; the SDKs touch no more of one than this. */
function show(answer: ModelAnswer, shown: object): Response {
  const { status, headers } = answer;
  return { ok: isOk(answer), status, statusText: '', url: '', headers, ...shown } as unknown as Response;
}

function isOk({ status }: ModelAnswer): boolean {
  return status >= 200 && status < 300;
}

function isJson({ headers }: ModelAnswer): boolean {
  return /\bjson\b/i.test(headers.get('content-type') ?? '');
}

/** Passes a body on, piece by piece as it is asked for, and reads it on for a moment when it is left before its end. */
function readOn(reader: ByteReader): ByteReader {
  let isOver = false;
  return {
    async read() {
      const piece = await reader.read();
      isOver = piece.done;
      return piece;
    },
    async cancel() {
      if (!isOver) void drain(reader);
      isOver = true;
    },
    releaseLock: () => undefined,
  };
}

async function drain(reader: ByteReader): Promise<void> {
  const giveUp = setTimeout(() => reader.cancel().catch(() => undefined), DRAIN_MS);
  try {
    while (!(await reader.read()).done);
  } catch {
    // It was aborted or cut: there is nothing left to keep.
  } finally {
    clearTimeout(giveUp);
  }
}

function textReader(text: string): ByteReader {
  const pieces = [Buffer.from(text)];
  return {
    read: async () => ({ done: pieces.length === 0, value: pieces.shift() }),
    cancel: async () => undefined,
    releaseLock: () => undefined,
  };
}

/** The text of a body up to a length, in characters; a body that breaks off is what had come. */
async function readText(reader: ByteReader, longest: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const bytes of piecesOf(reader)) {
      text += decoder.decode(bytes, { stream: true });
      if (text.length > longest) break;
    }
  } catch {
    return text;
  }
  return text;
}
