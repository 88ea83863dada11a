import { BODY_BOUNDS } from '#core/bounds/body-bounds.ts';
import { RequestRefused } from '#core/failure.ts';
import { type JsonScan, scanJson, startJsonScan } from '#core/json.ts';
import { cleanText, shorten } from '#core/text.ts';
import { yieldToEventLoop } from '#core/yield-to-event-loop.ts';
import { refused } from '../../schemas/errors/error-codes.ts';
import { renderPath } from '../issues.ts';
import type { ReceivedBody } from './receive-body.ts';

/** Parses a complete JSON text, like `parseScannedBody`. */
export async function parseJsonBody(bytes: Buffer): Promise<unknown> {
  const scan = startJsonScan();
  for (let from = 0; from < bytes.length; from += SCANNED_AT_ONCE) {
    if (from > 0) await yieldToEventLoop();
    scanJson(scan, bytes.subarray(from, from + SCANNED_AT_ONCE));
  }
  return parseScannedBody({ bytes, scan });
}

/** The number of bytes that are scanned before other work may run. */
const SCANNED_AT_ONCE = 512 * 1024;

/**
 * Parses a scanned JSON body and cleans its values. A large body is parsed in steps, so that it does not block the
 * event loop. `check` gets the bytes before they are parsed. Throws `RequestRefused` if a body cannot be stored.
 */
export async function parseScannedBody(
  { bytes, scan }: ReceivedBody,
  check: (bytes: Buffer) => void = () => {},
): Promise<unknown> {
  refuseByScan(scan);
  check(bytes);
  const pause = bytes.length > BODY_BOUNDS.smallBytes ? yieldToEventLoop : async () => {};
  await pause();
  const text = decode(bytes);
  await pause();
  const body = parse(text);
  await pause();
  return cleanBody(body);
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new RequestRefused(400, 'invalid_json', 'The body has bytes that are not UTF-8. Encode its text as UTF-8.');
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refused('invalid_json');
  }
}

/** Refuses a body by the scan of its text, before parsing: a body that is cut off, too deep or far too large. */
function refuseByScan({ depth, inString, deepest, values }: JsonScan): void {
  if (depth !== 0 || inString) throw refused('invalid_json');
  if (deepest > BODY_BOUNDS.depth) throw tooDeep();
  // The scan counts an empty list or object twice. The count after parsing is exact.
  if (values > 2 * BODY_BOUNDS.values) throw tooManyValues();
}

/**
 * Replaces in place the values that Postgres or a provider cannot store. Refuses harmful keys and bodies that are too
 * large to check.
 */
function cleanBody(body: unknown): unknown {
  const path: (string | number)[] = [];
  let values = 0;

  function clean(value: unknown): unknown {
    values += 1;
    if (values > BODY_BOUNDS.values) throw tooManyValues();
    if (typeof value === 'string') return cleanText(value);
    if (typeof value === 'number') return finite(value, path);
    if (typeof value !== 'object' || value === null) return value;
    if (path.length >= BODY_BOUNDS.depth) throw tooDeep();
    return Array.isArray(value) ? cleanList(value) : cleanObject(value as Record<string, unknown>);
  }
  function cleanList(list: unknown[]): unknown[] {
    for (let index = 0; index < list.length; index += 1) list[index] = cleanAt(index, list[index]);
    return list;
  }
  function cleanObject(object: Record<string, unknown>): Record<string, unknown> {
    const keys = Object.keys(object);
    if (keys.length > BODY_BOUNDS.keys) throw tooMany('An object in the body', `${BODY_BOUNDS.keys} keys`);
    let isOdd = false;
    for (const key of keys) {
      if (key === '__proto__') throw disguised([...path, key]);
      isOdd ||= cleanText(key) !== key;
      object[key] = cleanAt(key, object[key]);
    }
    return isOdd ? Object.fromEntries(keys.map((key) => [cleanText(key), object[key]])) : object;
  }
  function cleanAt(step: string | number, value: unknown): unknown {
    path.push(step);
    const cleaned = clean(value);
    path.pop();
    return cleaned;
  }
  return clean(body);
}

function tooDeep(): RequestRefused {
  const message = `The body is nested more than ${BODY_BOUNDS.depth} levels deep. Flatten it.`;
  return new RequestRefused(400, 'json_too_deep', message);
}

function tooManyValues(): RequestRefused {
  return tooMany('The body', `${BODY_BOUNDS.values} values`);
}

function tooMany(what: string, many: string): RequestRefused {
  const message = `${what} has more than ${many}. Send fewer, or send large data as a single text.`;
  return new RequestRefused(400, 'json_too_large', message);
}

/** JSON may have numbers that no double can hold. They would be stored as `null`. */
function finite(value: number, path: (string | number)[]): number {
  if (Number.isFinite(value)) return value;
  const param = renderPath(path);
  const message = `\`${shorten(param)}\` is too large. Give a smaller number.`;
  throw new RequestRefused(400, 'invalid_value', message, param);
}

function disguised(path: (string | number)[]): RequestRefused {
  return new RequestRefused(400, 'unknown_field', 'Leave out the key `__proto__`.', renderPath(path));
}
