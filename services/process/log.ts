import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { shorten } from '#core/text.ts';

export type Log = Logger;

/**
 * The log of one process on standard output, with ids and never with a key, a header or a text of a turn. On a terminal
 * it is lines to read, elsewhere JSON. JSON lines gather for a moment, so that a busy process writes many at once; an exit
 * writes them all.
 *
 * Programs go by the field `event`, which is stable (docs/operations.md lists them); sentences may change.
 */
export function openLog(part: string, level: string, format?: 'text' | 'json'): Log {
  const isText = format ? format === 'text' : process.stdout.isTTY;
  const hooks = { streamWrite: (line: string) => boundLine(redactLine(line)) };
  return pino({ level, base: { part }, hooks }, isText ? readable() : gathered());
}

const SECRET_FIELD = /"(?:authorization|apiKey|api_key)":/;
const SECRET_NAMES = new Set(['authorization', 'apiKey', 'api_key']);

/** A line of JSON with all its keys made unreadable, however deep they stand. Most lines have none: one search clears them. */
export function redactLine(line: string): string {
  if (!SECRET_FIELD.test(line)) return line;
  const fields: unknown = JSON.parse(line);
  return `${JSON.stringify(fields, (name, value) => (SECRET_NAMES.has(name) ? '[Redacted]' : value))}\n`;
}

/** Characters of a line that is written as it is, and of one text in a longer line. */
const LINE_LENGTH = 16 * 1024;
const TEXT_LENGTH = 4_000;

/** A line of JSON within a bound: a long line has its texts cut, and keeps only its first fields if that is not enough. */
export function boundLine(line: string): string {
  if (line.length <= LINE_LENGTH) return line;
  const fields = JSON.parse(line) as Line;
  const cut = JSON.stringify(fields, (_, value) => (typeof value === 'string' ? shorten(value, TEXT_LENGTH) : value));
  if (cut.length <= LINE_LENGTH) return `${cut}\n`;
  const { level, time, part, event, msg = '' } = fields;
  return `${JSON.stringify({ level, time, part, event, left_out: line.length, msg: shorten(String(msg), TEXT_LENGTH) })}\n`;
}

const GATHER_MS = 50;

/** Gathered here and not by the destination, which would measure all that it holds again for each line. */
function gathered(): DestinationStream {
  const output = destination({ dest: 1, sync: false });
  let lines = '';
  const flush = () => {
    process.off('exit', flushAtExit);
    output.write(lines);
    lines = '';
  };
  const flushAtExit = () => {
    flush();
    output.flushSync();
  };
  return {
    write: (line) => {
      if (lines === '') {
        process.once('exit', flushAtExit);
        setTimeout(flush, GATHER_MS);
      }
      lines += line;
    },
  };
}

function readable(): DestinationStream {
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
