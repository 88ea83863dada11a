import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { REPLY_BOUNDS } from '#core/bounds/reply-bounds.ts';
import { boundBody } from '#core/llm/ai-sdk/package/bound-body.ts';
import { keepBusy } from '#test/harness/keep-busy.ts';

const DEEP = '['.repeat(REPLY_BOUNDS.depth + 1);
const HALF = '['.repeat(REPLY_BOUNDS.depth / 2 + 1);
const CLOSED = ']'.repeat(REPLY_BOUNDS.depth / 2 + 1);
const WIDE = `[${'[],'.repeat(REPLY_BOUNDS.values)}[]]`;

/** Returns a reader of these chunks, and the state of the reading. */
function bodyOf(chunks: Iterable<string | Uint8Array>) {
  const left = chunks[Symbol.iterator]();
  const state = { bytes: 0, isCancelled: false };
  const reader = {
    async read() {
      const { done = false, value } = left.next();
      if (done || state.isCancelled) return { done: true };
      const bytes = typeof value === 'string' ? Buffer.from(value) : (value as Uint8Array);
      state.bytes += bytes.length;
      return { done: false, value: bytes };
    },
    async cancel() {
      state.isCancelled = true;
    },
  };
  return { reader, state };
}

/** Reads a bounded body. Returns the pieces for the package, and the failure of the rest. */
async function givenOf(chunks: Iterable<string | Uint8Array>) {
  const { reader, state } = bodyOf(chunks);
  const pieces: Uint8Array[] = [];
  const failure = await (async () => {
    for await (const piece of boundBody(reader)) pieces.push(piece);
    return null;
  })().catch((error: unknown) => error);
  return { pieces, given: Buffer.concat(pieces), failure, state };
}

/** Returns a frame of an AWS event stream without headers. */
function frame(payload: string): Uint8Array {
  const bytes = Buffer.alloc(16 + Buffer.byteLength(payload));
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  bytes.write(payload, 12);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
  return bytes;
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

function* endless(text: string): Generator<string> {
  const block = text.repeat(Math.ceil(65_536 / text.length));
  for (;;) yield block;
}

function* after(first: string, rest: Iterable<string>): Generator<string> {
  yield first;
  yield* rest;
}

describe('a body for a package fails and its reading is cancelled', () => {
  test.each<[string, (string | Uint8Array)[], RegExp]>([
    ['deep data', [`data: ${DEEP}\n\n`], /more than 100 levels of JSON in one event/],
    ['deep data in lines', [`data: ${HALF}\n`, `data: ${HALF}\n\n`], /levels of JSON in one event/],
    ['deep data with CRLF', [`data: ${HALF}\r`, `\ndata: ${HALF}\r\n\r\n`], /levels of JSON in one event/],
    ['deep data between comments', [`data: ${HALF}\n: ${CLOSED}\ndata: ${HALF}\n\n`], /levels of JSON in one event/],
    ['deep data after an open quote', [`event: "\ndata: ${DEEP}\n\n`], /levels of JSON in one event/],
    ['a deep answer', [`{"a":${DEEP}`], /more than 100 levels of JSON in one answer/],
    ['a deep answer in lines', [`${HALF}\n${HALF}`], /levels of JSON in one answer/],
    ['a deep line after too many brackets', [`${CLOSED}\n${DEEP}`], /levels of JSON in one answer/],
    ['wide data', [`data: ${WIDE}\n\n`], /more than 250,000 JSON values in one event/],
    ['a wide answer', [WIDE.replaceAll(',', ',\n')], /more than 250,000 JSON values in one answer/],
    ['a frame with deep JSON', [frame(DEEP)], /levels of JSON in one event/],
    ['a frame with deep JSON in base64', [frame(JSON.stringify({ bytes: base64(DEEP) }))], /levels of JSON/],
    ['a frame that is shorter than its headers', [Buffer.alloc(64)], /a frame that is shorter than its headers/],
    ['binary data in a text', ['data: 1\n\n', Buffer.of(0)], /binary data in a text/],
  ])('%s', async (_, chunks, says) => {
    const { given, failure, state } = await givenOf(chunks);

    expect(failure).toMatchObject({ message: expect.stringMatching(says) });
    expect(given.includes(HALF.repeat(2))).toBe(false);
    expect(state.isCancelled).toBe(true);
  });

  test.each<[string, string, RegExp, number]>([
    ['data without an end', 'data: 1\n', /more than 8 MiB in one event/, REPLY_BOUNDS.eventBytes * 2],
    ['an answer without an end', 'a', /more than 8 MiB in one answer/, REPLY_BOUNDS.eventBytes],
    ['empty events without an end', 'data: {}\n\n', /more than 500,000 events/, REPLY_BOUNDS.events * 10],
    ['empty lines of JSON without an end', '{}\n', /more than 500,000 events/, REPLY_BOUNDS.events * 3],
  ])('%s', async (_, text, says, most) => {
    const { failure, state } = await givenOf(endless(text));

    expect(failure).toMatchObject({ message: expect.stringMatching(says) });
    expect(state.bytes).toBeLessThan(most + 2 * 65_536 + 6);
  });

  test('a line without an end', async () => {
    const { failure, state } = await givenOf(after('data: ', endless('a')));

    expect(failure).toMatchObject({ message: 'more than 8 MiB in one line' });
    expect(state.bytes).toBeLessThan(REPLY_BOUNDS.eventBytes + 2 * 65_536);
  });

  test('a frame without an end', async () => {
    const { failure, state, pieces } = await givenOf(endless('\0\xff'));

    expect(failure).toMatchObject({ message: 'more than 8 MiB in one event' });
    expect([state.bytes < REPLY_BOUNDS.eventBytes + 2 * 65_536, pieces]).toEqual([true, []]);
  });
});

const nested = JSON.stringify({ text: `${'[{'.repeat(500)}"\\` });

test.each<[string, Uint8Array]>([
  ['events', Buffer.from(`: [\n\nevent: a\ndata: ${nested}\n\n`.repeat(60))],
  ['events with CRLF', Buffer.from(`data: ${nested}\r\n\r\n`.repeat(60))],
  ['JSON in lines', Buffer.from(`${nested}\n`.repeat(60))],
  [
    'one answer',
    Buffer.from(
      JSON.stringify(
        Array.from({ length: 20 }, () => JSON.parse(nested)),
        null,
        2,
      ),
    ),
  ],
  ['frames', Buffer.concat(Array.from({ length: 20 }, () => frame(JSON.stringify({ bytes: base64(nested) }))))],
  ['an empty body', Buffer.alloc(0)],
])('a body of %s passes unchanged in chunks of any size', async (_, whole) => {
  for (const size of [1, 7, 4096, whole.length + 1]) {
    const count = Math.ceil(whole.length / size);
    const chunks = Array.from({ length: count }, (_, at) => whole.subarray(at * size, (at + 1) * size));

    const { given, failure } = await givenOf(chunks);

    expect(failure).toBeNull();
    expect(given.equals(whole)).toBe(true);
  }
});

test('a frame passes in one piece, and a truncated frame passes too', async () => {
  const long = frame(JSON.stringify('a'.repeat(100_000)));

  const { pieces } = await givenOf([long.subarray(0, 50_000), long.subarray(50_000), long.subarray(0, 100)]);

  expect(pieces.map(({ length }) => length)).toEqual([long.length, 100]);
});

test('a body passes in small pieces, so other work runs between costly pieces', async () => {
  const { reader } = bodyOf([`data: ${'[],'.repeat(4_000)}\n\n`]);
  const seen: (number | string)[] = [];

  for await (const piece of boundBody(reader)) {
    seen.push(piece.length);
    keepBusy(25);
    setImmediate(() => seen.push('other work'));
  }

  expect(seen).toEqual([4096, 'other work', 4096, 'other work', expect.any(Number)]);
});
