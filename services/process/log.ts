import { destination, type Logger, pino } from 'pino';

export type Log = Logger;

const FLUSH_MS = 50;

/**
 * The log of one process on standard output, with ids and never with a key, a header or a text of a turn. On a terminal
 * it is lines to read, elsewhere JSON. JSON lines gather for a moment, so that a busy process writes many at once; an exit
 * writes them all.
 *
 * Programs go by the field `event`, which is stable (docs/operations.md lists them); sentences may change.
 */
export function openLog(part: string, level: string, format?: 'text' | 'json'): Log {
  const redact = ['*.authorization', '*.apiKey', '*.api_key'];
  const isText = format ? format === 'text' : process.stdout.isTTY;
  return pino({ level, base: { part }, redact }, isText ? readable() : gathered());
}

/**
 * Lines that gather for a moment. Where there are none, nothing is written: an empty write of the library costs as much as a
 * full one, 20 times a second.
 */
function gathered(): { write(line: string): void; flushSync(): void } {
  const file = destination({ dest: 1, sync: false, minLength: 8_192 });
  let isFlushed = true;
  let isTimed = false;
  const flush = () => {
    isTimed = false;
    file.flush();
  };
  const flushSoon = () => {
    if (!isTimed) setTimeout(flush, FLUSH_MS).unref();
    isTimed = true;
  };
  // A flush does nothing while a write is in flight, so the lines of that time are flushed after it.
  file.on('drain', () => {
    if (!isFlushed) flushSoon();
    isFlushed = true;
  });
  return {
    write: (line) => {
      isFlushed = false;
      file.write(line);
      flushSoon();
    },
    flushSync: () => file.flushSync(),
  };
}

function readable(): { write(line: string): void } {
  const hasColours = process.stdout.isTTY && process.stdout.hasColors();
  return { write: (line) => void process.stdout.write(readableLine(line, hasColours)) };
}

type Line = { time?: number; level?: number; msg?: string; part?: string; event?: string; err?: unknown };

const LEVELS: Record<number, { name: string; colour: string }> = {
  20: { name: 'debug', colour: '2' },
  30: { name: 'info', colour: '32' },
  40: { name: 'warn', colour: '33' },
  50: { name: 'error', colour: '31' },
  60: { name: 'fatal', colour: '31' },
};

/** A line of the log for a terminal: time, level, sentence, fields, and below them a stack. */
export function readableLine(json: string, hasColours: boolean): string {
  const { time = 0, level = 30, msg = '', part, event, err, ...fields }: Line = JSON.parse(json);
  const paint = (code: string, text: string) => (hasColours && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text);
  const { name, colour } = LEVELS[level] ?? { name: String(level), colour: '0' };
  const clock = new Date(time).toTimeString().slice(0, 8);
  const rest = Object.entries(fields).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const head = `${paint('2', clock)} ${paint(colour, name.padEnd(5))} ${onOneLine(msg)}`;
  const tail = rest.length === 0 ? '' : `  ${paint('2', onOneLine(rest.join(' ')))}`;
  return `${head}${tail}\n${stackOf(err)}`;
}

function stackOf(err: unknown): string {
  if (typeof err !== 'object' || err === null) return '';
  const stack = Reflect.get(err, 'stack') ?? Reflect.get(err, 'message');
  return typeof stack === 'string' ? `${visible(stack).replace(/^/gm, '    ')}\n` : '';
}

/** A line end in it is shown as it is written in JSON, so that no foreign text looks like a line of the log. */
function onOneLine(text: string): string {
  return visible(text.replaceAll('\n', '\\n').replaceAll('\r', '\\r'));
}

/** A foreign text must not move the cursor of a terminal. */
function visible(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is taken out
  return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, ' ');
}
