import { type HeldBytes, holdBytes } from '../../../bounds/hold-bytes.ts';
import { JSON_LIMITS } from '../../../json.ts';
import { yieldToEventLoop } from '../../../yield-to-event-loop.ts';
import { boundReply, UnusableReply } from '../../unusable-reply.ts';

/** A value within a JSON text, by its path: `operations.3.name`. An element beyond the limit has only a beginning. */
export type JsonElement = { path: string; text: string; isWhole: boolean };

/** The paths of the wanted elements, and the most bytes of an element. */
export type Wanted = { paths: RegExp; longest: number };

/**
 * Reads a JSON text of any length, and yields each wanted element. All other values are skipped. A text
 * that is cut is an `UnusableReply`.
 */
export async function* jsonElements(bytes: AsyncIterable<Uint8Array>, wanted: Wanted): AsyncGenerator<JsonElement> {
  const scan: Scan = { frames: [], string: null, mayStart: true, isKeyNext: false, capture: null };
  for await (const chunk of bytes) {
    for (let from = 0; from < chunk.length; from += PART_BYTES) {
      await yieldToEventLoop();
      yield* scanPart(scan, chunk.subarray(from, from + PART_BYTES), wanted);
    }
  }
  if (scan.frames.length > 0 || scan.mayStart) throw new UnusableReply('a cut answer');
}

/** The bytes to scan at a time. */
const PART_BYTES = 64 * 1024;

type Scan = {
  /** The open objects and lists, with the current key or index of each. */
  frames: { isList: boolean; key: string; index: number }[];
  /** A text that is not whole. `key` has its bytes if the text is a key. */
  string: { isEscaped: boolean; key: number[] | null } | null;
  /** Whether the next byte begins a value or a key. */
  mayStart: boolean;
  isKeyNext: boolean;
  capture: Capture | null;
};

/** A wanted element that is being read. `depth` counts its own objects and lists. */
type Capture = { path: string; depth: number; isBare: boolean; held: HeldBytes; isWhole: boolean };

function* scanPart(scan: Scan, part: Uint8Array, { paths, longest }: Wanted): Generator<JsonElement> {
  let start = 0;
  for (let at = 0; at < part.length; at += 1) {
    const code = part[at] ?? 0;
    if (scan.capture === null && startsCapture(scan, code, paths)) start = at;
    const { capture } = scan;
    if (capture === null) continue;
    const end = endOf(scan, capture, code);
    if (end === null) continue;
    hold(capture, part.subarray(start, at + end), longest);
    scan.capture = null;
    const { path, isWhole, held } = capture;
    yield { path, text: Buffer.from(held.release()).toString(), isWhole };
    // The byte after a number or a word belongs to its list or object.
    if (end === 0) startsCapture(scan, code, paths);
  }
  if (scan.capture) hold(scan.capture, part.subarray(start), longest);
}

/** Holds bytes of an element. An element beyond the limit keeps its beginning. */
function hold(capture: Capture, bytes: Uint8Array, longest: number): void {
  const room = longest - capture.held.size();
  if (bytes.length > room) capture.isWhole = false;
  capture.held.hold(bytes.subarray(0, capture.isWhole ? bytes.length : Math.max(0, Math.min(room, KEPT))));
}

/** The bytes of a long element that are kept. */
const KEPT = 1000;

const [QUOTE, COMMA, COLON, BACKSLASH] = [34, 44, 58, 92];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [91, 93, 123, 125];

/** Takes a byte outside of wanted elements. Returns whether a wanted element begins with the byte. */
function startsCapture(scan: Scan, code: number, paths: RegExp): boolean {
  if (scan.string) {
    takeString(scan, scan.string, code);
    return false;
  }
  if (isSpace(code)) return false;
  if (code === COMMA || code === COLON || isClosing(code)) takeMark(scan, code);
  else if (scan.isKeyNext && code === QUOTE) {
    scan.isKeyNext = false;
    scan.string = { isEscaped: false, key: [] };
  } else if (scan.mayStart) return startValue(scan, code, paths);
  return false;
}

function takeString(scan: Scan, string: NonNullable<Scan['string']>, code: number): void {
  if (string.isEscaped) string.isEscaped = false;
  else if (code === BACKSLASH) string.isEscaped = true;
  else if (code === QUOTE) {
    const frame = scan.frames.at(-1);
    if (frame && string.key) frame.key = Buffer.from(string.key).toString();
    scan.string = null;
    return;
  }
  if (string.key && string.key.length < LONGEST_KEY) string.key.push(code);
}

const LONGEST_KEY = 200;

function takeMark(scan: Scan, code: number): void {
  const frame = scan.frames.at(-1);
  if (isClosing(code)) scan.frames.pop();
  if (code === COMMA && frame?.isList) frame.index += 1;
  scan.mayStart = code === COLON || (code === COMMA && frame?.isList === true);
  scan.isKeyNext = code === COMMA && frame?.isList === false;
}

function startValue(scan: Scan, code: number, paths: RegExp): boolean {
  scan.mayStart = false;
  const path = scan.frames.map(({ isList, index, key }) => (isList ? String(index) : key)).join('.');
  if (paths.test(path)) {
    const isBare = code !== QUOTE && code !== LIST && code !== OBJECT;
    scan.capture = { path, depth: 0, isBare, held: holdBytes(), isWhole: true };
    return true;
  }
  if (code === QUOTE) scan.string = { isEscaped: false, key: null };
  if (code !== LIST && code !== OBJECT) return false;
  scan.frames.push({ isList: code === LIST, key: '', index: 0 });
  boundReply(scan.frames.length, JSON_LIMITS.depth, 'levels of JSON');
  scan.mayStart = code === LIST;
  scan.isKeyNext = code === OBJECT;
  return false;
}

/** Takes a byte of an element. Returns the bytes of this byte that end the element, 0 or 1, or null before its end. */
function endOf(scan: Scan, capture: Capture, code: number): 0 | 1 | null {
  if (capture.isBare) return code === COMMA || isClosing(code) || isSpace(code) ? 0 : null;
  if (scan.string) {
    takeString(scan, scan.string, code);
    return scan.string === null && capture.depth === 0 ? 1 : null;
  }
  if (code === QUOTE) scan.string = { isEscaped: false, key: null };
  else if (code === LIST || code === OBJECT) capture.depth += 1;
  else if (isClosing(code)) capture.depth -= 1;
  return isClosing(code) && capture.depth === 0 ? 1 : null;
}

function isClosing(code: number): boolean {
  return code === LIST_END || code === OBJECT_END;
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}
