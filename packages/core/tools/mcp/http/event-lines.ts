import { holdBytes } from '../../../bounds/hold-bytes.ts';
import { isRecord, parseJson } from '../../../json.ts';
import { tidyMessage, type WaitingRequest } from '../tidy/tidy-message.ts';
import { finderOf, readMessages } from './tidy-answer.ts';

/** The waiting lines of a stream of events. */
export type EventLines = {
  /** Adds a line with its end. Comments and unknown lines are omitted. */
  add(line: Uint8Array): void;
  /** Adds the rest of the stream, which has no line end. */
  end(rest: Uint8Array): void;
  size(): number;
  release(): Uint8Array;
  /** Returns whether the body is JSON in spite of its type. Its messages are added at the end. */
  isJson(): boolean;
};

const LF = 10;
const CR = 13;
const OPEN = '{'.charCodeAt(0);
const DATA = 'd'.charCodeAt(0);
const COLON = ':'.charCodeAt(0);
const CLOSE = '}'.charCodeAt(0);
const SPACE = ' '.charCodeAt(0);
const utf8 = new TextDecoder();
const latin1 = new TextDecoder('latin1');

/** Starts to hold the lines of an answer to `request`. Messages that the SDK would refuse are tidied. */
export function startEventLines(request: WaitingRequest | undefined): EventLines {
  const held = holdBytes();
  const json = holdBytes();
  let isJson: boolean | undefined;
  let isOpen = false;

  const add = (line: Uint8Array) => {
    if (!isEmptyLine(line)) isJson ??= request !== undefined && line[0] === OPEN;
    if (isJson) return json.hold(line);
    if (!isEmptyLine(line) && !isField(line)) return;
    isOpen = endsMessage(line);
    held.hold(isOpen && request ? tidyLine(line, request) : line);
  };
  const end = (rest: Uint8Array) => {
    if (isJson || endsMessage(rest) || rest[0] === OPEN) add(Buffer.concat([rest, Uint8Array.of(LF)]));
    else held.hold(rest);
    if (isJson && request) held.hold(eventsOf(utf8.decode(json.release()), request));
    // The last message is complete, and only the empty line after it is missing.
    else if (isOpen && (rest.length === 0 || endsMessage(rest))) held.hold(Uint8Array.of(LF));
  };
  return { add, end, size: held.size, release: held.release, isJson: () => isJson === true };
}

/** Returns whether a line with its end is empty. */
export function isEmptyLine(line: Uint8Array): boolean {
  return line[0] === LF || (line[0] === CR && line[1] === LF);
}

const FIELD = /^(?:\xef\xbb\xbf)?(?:(?:data|event|id)[:\r\n]|retry: ?\d+[\r\n])/;
const LONGEST_RETRY = 32;

function isField(line: Uint8Array): boolean {
  return FIELD.test(latin1.decode(line.subarray(0, LONGEST_RETRY)));
}

/** Characters at either end of a line that contain the fields of a message. */
const ENVELOPE = 160;

/** Returns whether a line of data ends like an object. It reads bytes and makes no text, since it reads each line. */
function endsMessage(line: Uint8Array): boolean {
  if (line[0] !== DATA || line[4] !== COLON) return false;
  let last = line.length - 1;
  while ((line[last] ?? CLOSE) <= SPACE) last -= 1;
  return line[last] === CLOSE;
}

const VERSION = '"jsonrpc"\\s*:\\s*"2\\.0"';
const ID = '"id"\\s*:\\s*\\d+';
const RESULT = '"result"\\s*:\\s*\\{';
const NEXT = '\\s*,\\s*';
const BEGINNING = new RegExp(`^data: ?\\{\\s*(?:${VERSION}${NEXT}${ID}|${ID}${NEXT}${VERSION})${NEXT}${RESULT}`);
const RESULT_FIRST = new RegExp(`^data: ?\\{\\s*${RESULT}`);
const RESULT_LAST = /\}\s*\}\s*$/;
const END = new RegExp(`\\}${NEXT}(?:${VERSION}${NEXT}${ID}|${ID}${NEXT}${VERSION})\\s*\\}\\s*$`);
const NOTICE = new RegExp(`^data: ?\\{\\s*(?:${VERSION}${NEXT}|${ID}${NEXT})*"method"\\s*:\\s*"`);
const ODD_META = /"_meta"\s*:\s*[^\s{]/;
const ERROR_LAST = /"error"\s*:\s*\{[^{}]*\}\s*\}\s*$/;

/**
 * Returns whether a line has a message in the usual form. It reads the ends only, since parsing a large message twice
 * takes long.
 */
function isUsual(line: Uint8Array): boolean {
  const head = latin1.decode(line.subarray(0, ENVELOPE));
  if (NOTICE.test(head)) return true;
  const tail = latin1.decode(line.subarray(-ENVELOPE));
  const isFramed = (BEGINNING.test(head) && RESULT_LAST.test(tail)) || (RESULT_FIRST.test(head) && END.test(tail));
  return isFramed && !ODD_META.test(head) && !ODD_META.test(tail) && !ERROR_LAST.test(tail);
}

function tidyLine(line: Uint8Array, request: WaitingRequest): Uint8Array {
  if (request.method === 'tools/call' && isUsual(line)) return line;
  const message = parseJson(utf8.decode(line).slice('data:'.length));
  return isRecord(message) ? dataLine(tidyMessage(message, finderOf(request))) : line;
}

function dataLine(message: Record<string, unknown>): Uint8Array {
  return Buffer.from(`data: ${JSON.stringify(message)}\n`);
}

function eventsOf(text: string, request: WaitingRequest): Uint8Array {
  try {
    const events = readMessages(text, request, true).map((message) => [dataLine(message), Uint8Array.of(LF)]);
    return Buffer.concat(events.flat());
  } catch {
    return new Uint8Array();
  }
}
