import { holdBytes } from '../../../bounds/hold-bytes.ts';
import { REPLY_BOUNDS } from '../../../bounds/reply-bounds.ts';
import { isRecord, parseJson } from '../../../json.ts';
import { boundReply, UnusableReply } from '../../unusable-reply.ts';
import { scanText, startTextScan } from './scan-text.ts';

/** A frame of an event stream of AWS: two lengths and a checksum, headers, a text, a checksum. */
const PRELUDE = 12;
const CHECKSUM = 4;

/** Takes the chunks of an event stream of AWS. */
export type FrameReader = {
  /** Returns the complete frames. A frame beyond the limits of a reply is an `UnusableReply`. */
  take(bytes: Uint8Array): Uint8Array[];
  /** Returns the rest of an incomplete frame. */
  rest(): Uint8Array;
};

/** Cuts a stream into its frames, and checks each before a package sees it. */
export function readFrames(): FrameReader {
  const held = holdBytes();
  let needed = PRELUDE;
  let count = 0;
  return {
    take(bytes) {
      const size = held.size() + bytes.length;
      if (size < needed) {
        boundReply(size, REPLY_BOUNDS.eventBytes, 'in one event');
        held.hold(bytes);
        return [];
      }
      const frames: Uint8Array[] = [];
      let left = held.release(bytes);
      for (needed = lengthOf(left); left.length >= needed; needed = lengthOf(left)) {
        const frame = left.subarray(0, needed);
        boundReply(needed, REPLY_BOUNDS.eventBytes, 'in one event');
        checkFrame(frame);
        frames.push(frame);
        left = left.subarray(needed);
      }
      held.hold(left);
      count += frames.length;
      boundReply(count, REPLY_BOUNDS.events, 'events in one answer');
      return frames;
    },
    rest: () => held.release(),
  };
}

/** Returns the length of the first frame, or of its prelude until that has arrived. */
function lengthOf(bytes: Uint8Array): number {
  return bytes.length < PRELUDE ? PRELUDE : Math.max(PRELUDE, numberAt(bytes, 0));
}

function numberAt(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(at);
}

/**
 * Checks a frame. It has JSON, in which a text in base64 may be JSON again (`bytes`). Packages take both as data of
 * events, too.
 */
function checkFrame(frame: Uint8Array): void {
  const begin = PRELUDE + numberAt(frame, 4);
  if (begin + CHECKSUM > frame.length) throw new UnusableReply('a frame that is shorter than its headers');
  const payload = frame.subarray(begin, frame.length - CHECKSUM);
  checkData(payload);
  const event = parseJson(new TextDecoder().decode(payload));
  if (isRecord(event) && typeof event.bytes === 'string') checkData(Buffer.from(event.bytes, 'base64'));
}

function checkData(data: Uint8Array): void {
  const scan = startTextScan();
  for (const piece of [Buffer.from('data: '), data]) scanText(scan, piece);
}
