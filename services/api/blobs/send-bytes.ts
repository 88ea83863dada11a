import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { readBlobPiece } from '#core/checkpoint/blobs.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import type { ApiEnv } from '../http/router.ts';

/** Media types that a browser shows without running code. */
const SHOWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

const bytes = { schema: { type: 'string' as const, format: 'binary' } };

/** Describes the answer of a route that sends the bytes of a blob, for `/openapi.json`. */
export const describedBytes = {
  headers: z.object({
    'Content-Disposition': z.string().optional().describe('`attachment`. Absent for images that browsers show.'),
  }),
  content: Object.fromEntries(
    [...SHOWN, 'application/pdf', 'audio/mp3', 'audio/wav', '*/*'].map((type) => [type, bytes]),
  ),
};

/** A blob to send. `cache` is its `Cache-Control`. A file also has a name. */
type SentBytes = {
  project: string;
  sha256: string;
  mediaType: string;
  size: number;
  cache: string;
  filename?: string;
};

/** Sends the bytes of a blob. The headers keep a browser from running code in the bytes. */
export function sendBytes(
  c: Context<ApiEnv>,
  db: Db,
  { mediaType, size, cache, filename, ...blob }: SentBytes,
): Response {
  const name = filename === undefined ? '' : `; filename*=UTF-8''${encodeName(filename)}`;
  return c.body(piecesOf(db, { ...blob, size }), 200, {
    'content-type': mediaType,
    'content-length': String(size),
    ...(SHOWN.has(mediaType) ? {} : { 'content-disposition': `attachment${name}` }),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cache-control': cache,
  });
}

/** RFC 8187: `encodeURIComponent` does not escape a few characters that have a meaning in a header. */
function encodeName(filename: string): string {
  return encodeURIComponent(filename).replaceAll(
    /['()*!]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

const PIECE = 512 * 1024;

/** Reads a piece when the client is ready for it, so that the process holds no whole blob. */
function piecesOf(
  db: Db,
  { project, sha256, size }: { project: string; sha256: string; size: number },
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let start = 0;
  return new ReadableStream(
    {
      pull: async (controller) => {
        const piece = await readBlobPiece(db, { project, sha256, start, length: PIECE });
        if (!piece?.length) {
          controller.error(new Error('The blob was deleted while it was read.'));
          return;
        }
        controller.enqueue(Uint8Array.from(piece));
        start += piece.length;
        if (start >= size) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}
