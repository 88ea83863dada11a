import { REPLY_BOUNDS } from '../../../bounds/reply-bounds.ts';
import { type JsonScan, scanJson, startJsonScan } from '../../../json.ts';
import { boundReply, UnusableReply } from '../../unusable-reply.ts';

/**
 * The counted content of a text for each possible reader: of server-sent events, or of JSON, whole or by line. A line
 * that begins with `data:` is not JSON for the latter, and other lines have no event.
 */
export type TextScan = {
  line: { bytes: number; isData: boolean; isItem: boolean; endedInCr: boolean };
  /** The lines of data since the last blank line. */
  event: Held;
  /** The other lines since the last JSON value was closed. */
  value: Held;
  /** Events and lines of JSON. */
  items: number;
};

type Held = { bytes: number; json: JsonScan };

export function startTextScan(): TextScan {
  const line = { bytes: 0, isData: true, isItem: false, endedInCr: false };
  return { line, event: holdNothing(), value: holdNothing(), items: 0 };
}

/** Reads the next chunk. A text beyond the limits of a reply, for any reader, is an `UnusableReply`. */
export function scanText(scan: TextScan, bytes: Uint8Array): void {
  // A stream of frames has zeros. It must not pass as a text, since its quotes have another meaning.
  if (bytes.includes(0)) throw new UnusableReply('binary data in a text');
  let from = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] !== LF && bytes[at] !== CR) continue;
    if (at > from) takeInLine(scan, bytes.subarray(from, at));
    if (bytes[at] === CR || at > from || !scan.line.endedInCr) endLine(scan);
    scan.line.endedInCr = bytes[at] === CR;
    from = at + 1;
  }
  if (from < bytes.length) takeInLine(scan, bytes.subarray(from));
}

const LF = 10;
const CR = 13;
const DATA = Buffer.from('data:');
const OPENING: (number | undefined)[] = [...Buffer.from('{[')];

function holdNothing(): Held {
  return { bytes: 0, json: startJsonScan() };
}

function takeInLine(scan: TextScan, piece: Uint8Array): void {
  const { line } = scan;
  if (line.bytes === 0) line.isItem = OPENING.includes(piece[0]);
  const begun = line.bytes;
  line.bytes += piece.length;
  if (begun < DATA.length) {
    const rest = DATA.subarray(begun, line.bytes);
    line.isData &&= rest.every((byte, at) => byte === piece[at]);
  }
  line.endedInCr = false;
  if (line.isData && line.bytes >= DATA.length) takeData(scan, piece);
  else hold(scan.value, piece, 'one answer');
}

/** Counts data. It is not JSON itself, so a reader of JSON has stopped before it. */
function takeData(scan: TextScan, piece: Uint8Array): void {
  scan.value = holdNothing();
  boundReply(scan.line.bytes, REPLY_BOUNDS.eventBytes, 'in one line');
  hold(scan.event, piece, 'one event');
}

function hold(held: Held, piece: Uint8Array, where: string): void {
  held.bytes += piece.length;
  boundReply(held.bytes, REPLY_BOUNDS.eventBytes, `in ${where}`);
  const { deepest, values } = scanJson(held.json, piece);
  boundReply(deepest, REPLY_BOUNDS.depth, `levels of JSON in ${where}`);
  boundReply(values, REPLY_BOUNDS.values, `JSON values in ${where}`);
}

/** Ends a line. A JSON string ends with its line. */
function endLine(scan: TextScan): void {
  const { line, event, value } = scan;
  if (line.isItem || (line.bytes === 0 && event.bytes > 0)) scan.items += 1;
  boundReply(scan.items, REPLY_BOUNDS.events, 'events in one answer');
  if (line.bytes === 0) scan.event = holdNothing();
  else for (const { json } of [event, value]) leaveString(json);
  if (value.json.depth === 0) scan.value = holdNothing();
  scan.line = { bytes: 0, isData: true, isItem: false, endedInCr: false };
}

/** Resets the state of a string. Text with too many closing brackets is not JSON, but the next line may be. */
function leaveString(json: JsonScan): void {
  json.inString = false;
  json.isEscaped = false;
  json.depth = Math.max(0, json.depth);
}
