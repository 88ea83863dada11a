import { holdBytes } from '../../bounds/hold-bytes.ts';
import { REPLY_BOUNDS } from '../../bounds/reply-bounds.ts';
import { shareReplies } from '../../bounds/reply-share.ts';
import { exceedsJson } from '../../json.ts';
import { boundJson, boundReply, ForeignReply, UnusableReply } from '../unusable-reply.ts';
import { type ByteReader, chunksOf } from './byte-queue.ts';
import type { AnswerHeaders, Post, PostRequest } from './http-client.ts';
import { readEvents, type ServerEvent } from './read-events.ts';

/** An answer with a status other than 2xx, with its text. */
export type Refusal = { kind: 'refused'; status: number; headers: AnswerHeaders; text: string };

/** A streaming reply, or a complete reply if it begins like JSON. */
export type OpenedReply =
  | { kind: 'stream'; headers: AnswerHeaders; events: AsyncGenerator<ServerEvent[]> }
  | { kind: 'whole'; headers: AnswerHeaders; text: string };

const LONGEST_ERROR = 64 * 1024;
const LONGEST_DRAIN = 256 * 1024;
const DRAIN_MS = 1000;

/**
 * Sends one request and opens its reply. The first characters decide how it is read. Many servers send JSON as a
 * stream of events, a stream as JSON, or either as plain text.
 * - A reply beyond the limits fails as `UnusableReply`, and its connection is closed.
 * - The rest of an abandoned stream is read for a moment, so that its connection serves the next call. Only the
 *   signal cuts it.
 */
export async function openReply(post: Post, request: PostRequest): Promise<Refusal | OpenedReply> {
  const { status, headers, body } = await post({ ...request, headers: { 'user-agent': 'Pawl', ...request.headers } });
  if (status < 200 || status > 299) return { kind: 'refused', status, headers, text: await readError(body) };
  const { beginning, reader } = await readBeginning(limited(body));
  const isEvent = /^(data|event|id|retry|):/.test(beginning);
  if (/^[{[]/.test(beginning) || (isJson(headers) && !isEvent))
    return { kind: 'whole', headers, text: await readWhole(reader) };
  if (!isEvent) await refuseForeign(headers, reader);
  return { kind: 'stream', headers, events: readEvents(chunksOf(readOn(reader))) };
}

/** Returns the events of a reply. A complete reply is one event. */
export function eventsOf(opened: OpenedReply): AsyncIterable<ServerEvent[]> | Iterable<ServerEvent[]> {
  return opened.kind === 'stream' ? opened.events : [[{ name: null, data: opened.text }]];
}

function isJson(headers: AnswerHeaders): boolean {
  return /\bjson\b/i.test(headers.get('content-type') ?? '');
}

/** Returns the first characters of a body after comments, and a reader from there. Comments keep a connection open. */
async function readBeginning(reader: ByteReader): Promise<{ beginning: string; reader: ByteReader }> {
  for (;;) {
    const first = await reader.read();
    const beginning = beginningOf(first.value ?? new Uint8Array(0));
    if (!first.done && beginning === '') continue;
    return { beginning, reader: startWith(first, reader) };
  }
}

/** Enough bytes for the first name of an event. */
const FIRST_BYTES = 16;

/** Returns the first characters of a chunk after comments. A few bytes are enough for most chunks. */
function beginningOf(bytes: Uint8Array): string {
  const beginning = saying(bytes.subarray(0, FIRST_BYTES));
  return /^(:|$)/.test(beginning) && bytes.byteLength > FIRST_BYTES ? saying(bytes) : beginning;
}

function saying(bytes: Uint8Array): string {
  const text = DECODER.decode(bytes).trimStart();
  return text.startsWith(':') ? text.replace(COMMENTS, '') : text;
}

const DECODER = new TextDecoder();

/** Whole lines of comments. */
const COMMENTS = /^(?::[^\r\n]*[\r\n]+)+/;

function startWith(first: Awaited<ReturnType<ByteReader['read']>>, reader: ByteReader): ByteReader {
  let next: typeof first | null = first;
  return {
    read() {
      if (!next) return reader.read();
      const chunk = next;
      next = null;
      return Promise.resolve(chunk);
    },
    cancel: () => reader.cancel(),
  };
}

/** Throws for a web page, which is from a website, a sign-in or a gateway. */
export async function refuseForeign(headers: AnswerHeaders, body: ByteReader): Promise<void> {
  const [type = ''] = (headers.get('content-type') ?? '').split(';', 1);
  if (!FOREIGN.test(type)) return;
  await body.cancel();
  throw new ForeignReply(`it sent ${type.trim().toLowerCase()}`);
}

const FOREIGN = /^\s*(text\/html|text\/css|text\/javascript|[\w.+-]+\/([\w.-]+\+)?xml|image\/.*)\s*$/i;

/** Returns a reader that reads the rest for a moment if it is cancelled before the end. */
function readOn(reader: ByteReader): ByteReader {
  return { read: () => reader.read(), cancel: async () => void drain(reader) };
}

async function drain(reader: ByteReader): Promise<void> {
  const giveUp = setTimeout(() => reader.cancel().catch(() => undefined), DRAIN_MS);
  try {
    let bytes = 0;
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      bytes += chunk.value?.byteLength ?? 0;
      if (bytes > LONGEST_DRAIN) await reader.cancel();
    }
  } catch {
    // The body was aborted or cut, so its connection is not reusable.
  } finally {
    clearTimeout(giveUp);
  }
}

/** Limits a body to the maximum of a reply and to the available memory. A larger body ends its connection. */
export function limited(reader: ByteReader): ByteReader {
  const share = shareReplies();
  let bytes = 0;
  const count = (chunk: Awaited<ReturnType<ByteReader['read']>>) => {
    const size = chunk.value?.byteLength ?? 0;
    bytes += size;
    boundReply(bytes, REPLY_BOUNDS.bytes, 'in one answer');
    const excess = share.take(size);
    if (excess) throw new UnusableReply(excess);
    if (chunk.done) share.release();
    return chunk;
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
  };
}

/** Reads the text of an error up to a limit. A text with too deep nesting is empty. */
export async function readError(body: ByteReader): Promise<string> {
  const text = new TextDecoder().decode(await readBytes(body, LONGEST_ERROR));
  return exceedsJson(text) ? '' : text;
}

async function readWhole(reader: ByteReader): Promise<string> {
  const bytes = await readBytes(reader, REPLY_BOUNDS.eventBytes);
  boundReply(bytes.length, REPLY_BOUNDS.eventBytes, 'in one answer');
  const text = saying(bytes);
  boundJson(text, 'one answer');
  return text;
}

/** Reads the start of a body, up to the chunk that exceeds a length. A broken body keeps its received bytes. */
async function readBytes(reader: ByteReader, longest: number): Promise<Uint8Array> {
  const held = holdBytes();
  try {
    for await (const bytes of chunksOf(reader)) {
      held.hold(bytes);
      if (held.size() > longest) break;
    }
  } catch (error) {
    // The received bytes count.
    if (error instanceof UnusableReply) throw error;
  }
  return held.release();
}
