import { destination, type Logger, pino } from 'pino';

export type Log = Logger;

/**
 * The log of one process: JSON lines on standard output, with ids and never with a key, a header or a text of a turn. While
 * lines are on their way the next ones gather, so that a busy process writes many at once; an exit writes them all.
 */
export function openLog(part: string, level: string): Log {
  const redact = ['*.authorization', '*.apiKey', '*.api_key'];
  return pino({ level, base: { part }, redact }, destination({ dest: 1, sync: false }));
}
