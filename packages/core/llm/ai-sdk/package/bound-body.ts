import { yieldToEventLoop } from '../../../yield-to-event-loop.ts';
import { type ByteReader, chunksOf } from '../../http/byte-queue.ts';
import { readFrames } from './read-frames.ts';
import { scanText, startTextScan } from './scan-text.ts';

/**
 * Yields the pieces of a body for a package, which parses them without bounds.
 * - Bytes beyond the limits of a reply never reach the package: the body fails as `UnusableReply` and is abandoned.
 * - The bytes decide how they are checked, not the declared type, which a package may ignore too.
 * - Other work runs between pieces.
 */
export async function* boundBody(reader: ByteReader): AsyncGenerator<Uint8Array> {
  let check: Check | null = null;
  for await (const bytes of chunksOf(reader)) {
    check ??= beginsFrame(bytes) ? readFrames() : checkText();
    for (const piece of check.take(bytes)) {
      await yieldToEventLoop();
      yield piece;
    }
  }
  const rest = check?.rest() ?? NOTHING;
  if (rest.length > 0) yield rest;
}

/** `take` returns the pieces to pass on now, `rest` the remaining bytes at the end. */
type Check = { take(bytes: Uint8Array): Iterable<Uint8Array>; rest(): Uint8Array };

const NOTHING = new Uint8Array(0);

/** The bytes that a package parses without a pause: a few milliseconds, even for small events. */
const PIECE_BYTES = 4096;

/** Returns whether bytes begin a frame. Its length begins with a zero, and no text does. */
function beginsFrame(bytes: Uint8Array): boolean {
  return bytes[0] === 0;
}

function checkText(): Check {
  const scan = startTextScan();
  return {
    take(bytes) {
      scanText(scan, bytes);
      return cut(bytes);
    },
    rest: () => NOTHING,
  };
}

function* cut(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}
