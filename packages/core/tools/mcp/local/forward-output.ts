import type { Readable } from 'node:stream';
import { MCP_BOUNDS } from '../../../bounds/mcp-bounds.ts';
import { startRate } from '../../../bounds/rate.ts';
import type { Redact } from '../../../redact.ts';
import { shorten } from '../../../text.ts';

/** Takes a line, and how many were left out before it. */
export type TakeLine = (line: string, leftOut: number) => void;

/**
 * Passes on the lines that a command writes, within the bounds of `MCP_BOUNDS` on its output. `redact` sees twice as much of a
 * line as is passed on, so that it also finds a secret at the cut.
 */
export function forwardOutput(stream: Readable, redact: Redact, take: TakeLine): void {
  const { outputLineLength: longest, outputBurst: burst, outputLinesPerSecond: perSecond } = MCP_BOUNDS;
  const rate = startRate({ burst, perSecond });
  let line = '';
  let leftOut = 0;

  const pass = (text: string) => {
    if (text.trim() === '') return;
    if (!rate.admits()) {
      leftOut += 1;
      return;
    }
    take(shorten(redact(text.slice(0, longest * 2)), longest), leftOut);
    leftOut = 0;
  };
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const [first = '', ...others] = text.split('\n');
    line = (line + first).slice(0, longest * 2);
    for (const other of others) {
      pass(line);
      line = other.slice(0, longest * 2);
    }
  });
  stream.on('end', () => pass(line));
  stream.on('error', () => {});
}
