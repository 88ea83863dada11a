import { destination, type Logger, pino } from 'pino';
import { readableLine } from './readable-line.ts';

export type Log = Logger;

const FLUSH_MS = 50;

/**
 * The log of one process on standard output, with ids and never with a key, a header or a text of a turn: lines to read on a
 * terminal, JSON elsewhere. JSON lines gather for a moment, so that a busy process writes many at once; an exit writes
 * them all.
 */
export function openLog(part: string, level: string, format?: 'text' | 'json'): Log {
  const redact = ['*.authorization', '*.apiKey', '*.api_key'];
  const isText = format ? format === 'text' : process.stdout.isTTY;
  const json = () => destination({ dest: 1, sync: false, minLength: 8_192, periodicFlush: FLUSH_MS });
  return pino({ level, base: { part }, redact }, isText ? readable() : json());
}

function readable(): { write(line: string): void } {
  const hasColours = process.stdout.isTTY && process.stdout.hasColors();
  return { write: (line) => void process.stdout.write(readableLine(line, hasColours)) };
}
