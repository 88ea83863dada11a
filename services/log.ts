import { type Logger, pino } from 'pino';

export type Log = Logger;

/** The log of one process: JSON lines on standard output, with ids and never with a key, a header or a text of a turn. */
export function openLog(part: string, level: string): Log {
  return pino({ level, base: { part }, redact: ['*.authorization', '*.apiKey', '*.api_key'] });
}
