import type { ByteReader } from './byte-queue.ts';
import { holdBytes } from './hold-bytes.ts';
import type { ModelAnswer, ModelFetch, ModelInit } from './model-fetch.ts';
import { piecesOf } from './pieces-of.ts';
import { boundJson, boundReply, REPLY_LIMITS, UnusableReply } from './reply-limits.ts';
import { shareReplies } from './reply-share.ts';

/** A `fetch` as an SDK takes it. */
export type Fetch = typeof globalThis.fetch;

const LONGEST_ERROR = 64 * 1024;
const LONGEST_DRAIN = 256 * 1024;
const DRAIN_MS = 1000;

/** How one wire's SDK wants to be shown the text of an error, and of a reply sent whole as JSON. */
export type Shape = { error(text: string): string; whole(text: string): string };

/**
 * Shows the SDK what it would otherwise hide: an error body of any shape, a reply sent whole as JSON although a
 * stream was asked for. A body left early is read on for a moment, so that its connection
 * can serve the next call: only the caller's own `signal` ends the call, the SDK cannot cut it short. A reply beyond the
 * limits fails as `UnusableReply`, and its connection is closed.
 */
export function watchFetch(fetch: ModelFetch, shape: Shape, signal: AbortSignal): Fetch {
  return async (url, init) => {
    // What the SDKs send is always of this kind: a URL as text, and a body of JSON.
    const answer = await fetch(url as string, { ...init, signal } as ModelInit);
    const reader = answer.body?.getReader();
    if (!isOk(answer)) return showText(answer, reader ? await readError(reader, shape) : '');
    if (!reader) return showBytes(answer, null);
    if (isJson(answer)) return showBytes(answer, textReader(shape.whole(await readWhole(limited(reader)))));
    return showBytes(answer, readOn(limited(reader)));
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

/** The reader of as much as a reply may be, and as there is memory for; more ends its connection. */
function limited(reader: ByteReader): ByteReader {
  const share = shareReplies();
  let bytes = 0;
  const count = (piece: Awaited<ReturnType<ByteReader['read']>>) => {
    const size = piece.value?.byteLength ?? 0;
    bytes += size;
    boundReply(bytes, REPLY_LIMITS.bytes, 'in one answer');
    share.take(size);
    if (piece.done) share.release();
    return piece;
  };
  const cancel = async () => {
    share.release();
    return reader.cancel();
  };
  return {
    async read() {
      try {
        return count(await reader.read());
      } catch (error) {
        await cancel();
        throw error;
      }
    },
    cancel,
    releaseLock: () => reader.releaseLock(),
  };
}

async function drain(reader: ByteReader): Promise<void> {
  const giveUp = setTimeout(() => reader.cancel().catch(() => undefined), DRAIN_MS);
  try {
    let bytes = 0;
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      bytes += piece.value?.byteLength ?? 0;
      if (bytes > LONGEST_DRAIN) await reader.cancel();
    }
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

/** The text of an error, in the SDK's form; one nested too deep to be read is none. */
async function readError(reader: ByteReader, shape: Shape): Promise<string> {
  const text = new TextDecoder().decode(await readBytes(reader, LONGEST_ERROR));
  try {
    boundJson(text, 'an error');
    return shape.error(text);
  } catch (error) {
    if (error instanceof UnusableReply) return shape.error('');
    throw error;
  }
}

async function readWhole(reader: ByteReader): Promise<string> {
  const bytes = await readBytes(reader, REPLY_LIMITS.eventBytes);
  boundReply(bytes.length, REPLY_LIMITS.eventBytes, 'in one answer');
  const text = new TextDecoder().decode(bytes);
  boundJson(text, 'one answer');
  return text;
}

/** The start of a body, up to the piece that exceeds a length; a body that breaks off is what had come. */
async function readBytes(reader: ByteReader, longest: number): Promise<Uint8Array> {
  const held = holdBytes();
  try {
    for await (const bytes of piecesOf(reader)) {
      held.hold(bytes);
      if (held.size() > longest) break;
    }
  } catch (error) {
    // What had come counts.
    if (error instanceof UnusableReply) throw error;
  }
  return held.release(new Uint8Array(0));
}
