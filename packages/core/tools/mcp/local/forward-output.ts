import type { Readable } from 'node:stream';
import { MCP_BOUNDS } from '../../../bounds/mcp-bounds.ts';
import { startRate } from '../../../bounds/rate.ts';
import type { Redact } from '../../../redact.ts';
import { shorten } from '../../../text.ts';

/** Takes a line, and the number of omitted lines before it. */
export type TakeLine = (line: string, leftOut: number) => void;

/** Passes on a command's lines within `MCP_BOUNDS`. `redact` sees twice as much, for a secret at the cut. */
export function forwardOutput(stream: Readable, redact: Redact, take: TakeLine): void {
  const { outputLineLength: longest, outputBurst: burst, outputLinesPerSecond: perSecond } = MCP_BOUNDS;
  const rate = startRate({ burst, perSecond });
  let line = '';
  let leftOut = 0;

  const pass = (text: string): boolean => {
    if (text.trim() === '') return true;
    if (!rate.admits()) {
      leftOut += 1;
      return false;
    }
    take(shorten(redact(text.slice(0, longest * 2)), longest), leftOut);
    leftOut = 0;
    return true;
  };
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lastEnd = text.lastIndexOf('\n');
    let from = 0;
    for (let isWithin = true; isWithin && from <= lastEnd; ) {
      const end = text.indexOf('\n', from);
      isWithin = pass(line + text.slice(from, Math.min(end, from + longest * 2)));
      line = '';
      from = end + 1;
    }
    // Lines that arrived together with an omitted line are omitted too. They are counted and not read.
    leftOut += countLines(text, from, lastEnd);
    line = (line + text.slice(lastEnd + 1, lastEnd + 1 + longest * 2)).slice(0, longest * 2);
  });
  stream.on('end', () => pass(line));
  stream.on('error', () => {});
}

function countLines(text: string, from: number, lastEnd: number): number {
  let lines = 0;
  for (let start = from; start <= lastEnd; ) {
    const end = text.indexOf('\n', start);
    if (end > start) lines += 1;
    start = end + 1;
  }
  return lines;
}
