import { BODY_BOUNDS } from '#core/bounds/body-bounds.ts';
import { RequestRefused } from '#core/failure.ts';
import { scanJson, startJsonScan } from '#core/json.ts';
import { yieldToEventLoop } from '#core/yield-to-event-loop.ts';
import { cleanBody, invalidJson, refuseByScan } from './clean-body.ts';
import type { ReceivedBody } from './receive-body.ts';

/** Parses a JSON text that came whole, as `parseScannedBody` does. */
export async function parseJsonBody(bytes: Buffer): Promise<unknown> {
  const scan = startJsonScan();
  for (let from = 0; from < bytes.length; from += SCANNED_AT_ONCE) {
    if (from > 0) await yieldToEventLoop();
    scanJson(scan, bytes.subarray(from, from + SCANNED_AT_ONCE));
  }
  return parseScannedBody({ bytes, scan });
}

/** Bytes that are scanned before other work has its turn. */
const SCANNED_AT_ONCE = 512 * 1024;

/**
 * Parses a JSON body that has been scanned, and cleans its values. A large body is read in steps, so that it does not
 * keep the event loop. `check` sees the bytes before they are parsed. Throws `RequestRefused` for a body that cannot
 * be stored.
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
    throw invalidJson();
  }
}
