import type { Readable } from 'node:stream';
import { holdBytes } from '../../../bounds/hold-bytes.ts';

/** A line of a stream exceeds a bound, which its message names: `more than 8 MiB`. */
export class LineTooLong extends Error {}

const LF = 10;
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Reads whole lines as they are taken. Throws `LineTooLong` as soon as a line has more than `maxBytes`. */
export async function* readLines(stream: Readable, maxBytes: number): AsyncGenerator<string> {
  const tooLong = () => new LineTooLong(`more than ${maxBytes / 1024 / 1024} MiB`);
  const held = holdBytes();
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let rest = chunk;
    for (let end = rest.indexOf(LF); end !== -1; end = rest.indexOf(LF)) {
      if (held.size() + end > maxBytes) throw tooLong();
      yield utf8.decode(held.release(rest.subarray(0, end)));
      rest = rest.subarray(end + 1);
    }
    held.hold(rest);
    if (held.size() > maxBytes) throw tooLong();
  }
}
