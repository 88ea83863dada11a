import { destination, type Logger, pino } from 'pino';

export type Log = Logger;

const FLUSH_MS = 50;

/**
 * The log of one process: JSON lines on standard output, with ids and never with a key, a header or a text of a turn. Lines
 * gather for a moment, so that a busy process writes many at once; an exit writes them all.
 */
export function openLog(part: string, level: string): Log {
  const redact = ['*.authorization', '*.apiKey', '*.api_key'];
  return pino(
    { level, base: { part }, redact },
    destination({ dest: 1, sync: false, minLength: 8_192, periodicFlush: FLUSH_MS }),
  );
}
