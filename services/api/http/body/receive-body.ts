import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Context } from 'hono';
import { BODY_BOUNDS } from '#core/bounds/body-bounds.ts';
import { type HeldBytes, holdBytes } from '#core/bounds/hold-bytes.ts';
import { type JsonScan, scanJson, startJsonScan } from '#core/json.ts';
import { orCutOff } from '../errors.ts';
import { isUnderResponses } from '../response-base.ts';
import type { ApiEnv } from '../router.ts';
import { PART, tooLarge } from './refuse-by-size.ts';

/** The bytes of a body, and their scan as JSON. */
export type ReceivedBody = { bytes: Buffer; scan: JsonScan };

/** Waits for room for this many bytes, before more than a small body is read. */
type EnterRoom = (bytes: number) => Promise<void>;

/**
 * Receives a body of at most `mostBytes`. Node enforces a declared length, so only bodies without one are counted
 * here.
 */
export async function receiveBody(c: Context<ApiEnv>, mostBytes: number, enter: EnterRoom): Promise<ReceivedBody> {
  const declared = declaredLength(c);
  if (declared === 0) return { bytes: Buffer.alloc(0), scan: startJsonScan() };
  if (declared !== null && declared > mostBytes) {
    if (declared <= BODY_BOUNDS.droppedBytes) await orCutOff(dropBody(c.env.incoming));
    throw tooLarge(mostBytes);
  }
  if (declared !== null && declared <= BODY_BOUNDS.smallBytes) {
    const bytes = Buffer.from(await orCutOff(c.req.arrayBuffer()));
    return { bytes, scan: scanJson(startJsonScan(), bytes) };
  }
  if (declared === null) return orCutOff(receiveUndeclared(c, mostBytes, enter));
  await enter(declared);
  return orCutOff(receivePieces(c, async () => {}));
}

/** Returns the declared length. Null for a chunked body. */
function declaredLength(c: Context<ApiEnv>): number | null {
  if (c.req.header('transfer-encoding') !== undefined) return null;
  return Number(c.req.header('content-length') ?? 0);
}

/** Receives a body of unknown length. Refuses it at 1 MiB if it has no part by then, else at its limit. */
function receiveUndeclared(c: Context<ApiEnv>, mostBytes: number, enter: EnterRoom): Promise<ReceivedBody> {
  const plainBytes = isUnderResponses(c.req.path) ? mostBytes : BODY_BOUNDS.plainBytes;
  let before = 0;
  return receivePieces(c, async (size, held) => {
    const passes = (bytes: number) => before <= bytes && size > bytes;
    if (size > mostBytes) throw tooLarge(mostBytes);
    if (passes(plainBytes) && !asBuffer(held.held()).includes(PART)) throw tooLarge(plainBytes);
    if (passes(BODY_BOUNDS.smallBytes)) await enter(mostBytes);
    before = size;
  });
}

/** Reads and scans piece by piece, so that a body does not block the event loop. */
async function receivePieces(
  c: Context<ApiEnv>,
  check: (size: number, held: HeldBytes) => Promise<void>,
): Promise<ReceivedBody> {
  const scan = startJsonScan();
  const held = holdBytes();
  for await (const piece of c.env.incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    held.hold(piece);
    await check(held.size(), held);
    scanJson(scan, piece);
  }
  return { bytes: asBuffer(held.release()), scan };
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function dropBody(incoming: Readable): Promise<void> {
  return finished(incoming.resume(), { writable: false });
}
