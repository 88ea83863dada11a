import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { shorten } from '#core/text.ts';

export type Log = Logger;

/**
 * Opens the log of a process on standard output. It has ids, but never a key, a header or a text of a turn. A
 * terminal gets readable lines, any other output JSON. JSON lines are gathered for a moment, so that a busy process
 * writes many at once. An exit writes all gathered lines.
 *
 * Programs may rely on the field `event`, which is stable (docs/operations.md lists its values). Sentences may
 * change.
 */
export function openLog(part: string, level: string, format?: 'text' | 'json'): Log {
  const isText = format ? format === 'text' : process.stdout.isTTY;
  const hooks = { streamWrite: (line: string) => boundLine(redactLine(line)) };
  return pino({ level, base: { part }, hooks }, isText ? readable() : gathered());
}

const SECRET_FIELD = /"(?:authorization|apiKey|api_key)":/;
const SECRET_NAMES = new Set(['authorization', 'apiKey', 'api_key']);

/** Redacts the keys in a JSON line, at any depth. Most lines have none, which one search detects. */
export function redactLine(line: string): string {
  if (!SECRET_FIELD.test(line)) return line;
  const fields: unknown = JSON.parse(line);
  return `${JSON.stringify(fields, (name, value) => (SECRET_NAMES.has(name) ? '[Redacted]' : value))}\n`;
}

/** The maximum characters of an uncut line, and of a text in a longer line. */
const LINE_LENGTH = 16 * 1024;
const TEXT_LENGTH = 4_000;

/** Bounds a JSON line. Cuts the texts of a long line, and keeps only its first fields if that is not enough. */
export function boundLine(line: string): string {
  if (line.length <= LINE_LENGTH) return line;
  const fields = JSON.parse(line) as Line;
  const cut = JSON.stringify(fields, (_, value) => (typeof value === 'string' ? shorten(value, TEXT_LENGTH) : value));
  if (cut.length <= LINE_LENGTH) return `${cut}\n`;
  const { level, time, part, event, msg = '' } = fields;
  return `${JSON.stringify({ level, time, part, event, left_out: line.length, msg: shorten(String(msg), TEXT_LENGTH) })}\n`;
}

const GATHER_MS = 50;

/** Gathers lines here, because the destination would measure all its content again for each line. */
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

/** Formats a line of the log for a terminal: time, level, sentence and fields, with a stack below. */
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

/** Shows line ends as JSON writes them, so that no foreign text looks like a line of the log. */
function onOneLine(text: string): string {
  return visible(text.replaceAll('\n', '\\n').replaceAll('\r', '\\r'));
}

/** Removes control characters, since a foreign text must not move the cursor of a terminal. */
function visible(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed
  return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, ' ');
}
