import type { Readable } from 'node:stream';

/** A line of a stream exceeds a bound, which its message names: `more than 8 MiB`. */
export class LineTooLong extends Error {}

const LF = 10;

/**
 * Reads the lines of a stream, no faster than they are taken. A last line without an end is left out. Throws `LineTooLong`
 * as soon as a line has more than `maxBytes`, without reading it to its end.
 */
export async function* readLines(stream: Readable, maxBytes: number): AsyncGenerator<string> {
  const tooLong = () => new LineTooLong(`more than ${maxBytes / 1024 / 1024} MiB`);
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let rest = chunk;
    for (let end = rest.indexOf(LF); end !== -1; end = rest.indexOf(LF)) {
      if (size + end > maxBytes) throw tooLong();
      yield Buffer.concat([...parts, rest.subarray(0, end)]).toString('utf8');
      rest = rest.subarray(end + 1);
      parts = [];
      size = 0;
    }
    parts.push(rest);
    size += rest.length;
    if (size > maxBytes) throw tooLong();
  }
}
