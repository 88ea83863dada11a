import { pipeline, Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { ByteReader } from './byte-queue.ts';
import { piecesOf } from './pieces-of.ts';

/** The bytes as they were before their server packed them; nobody asks it to, some do. */
export function unpackBytes(reader: ByteReader, encoding: string | null): ByteReader {
  const unpack = MAKERS.get(encoding?.trim().toLowerCase() ?? '')?.();
  if (!unpack) return reader;
  pipeline(Readable.from(piecesOf(reader)), unpack, () => undefined);
  const pieces: AsyncIterator<Uint8Array> = unpack[Symbol.asyncIterator]();
  return {
    read: async () => pieces.next() as ReturnType<ByteReader['read']>,
    cancel: async () => unpack.destroy() && reader.cancel(),
    releaseLock: () => undefined,
  };
}

// Half a reply must not wait for its other half, and one that breaks off is worth what had come.
const zlib = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const brotli = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH };

const MAKERS = new Map<string, () => Transform>([
  ['gzip', () => createGunzip(zlib)],
  ['x-gzip', () => createGunzip(zlib)],
  ['deflate', () => createInflate(zlib)],
  ['br', () => createBrotliDecompress(brotli)],
]);
