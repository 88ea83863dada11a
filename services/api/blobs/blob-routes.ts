import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import { findBlob, readBlobPiece } from '#core/checkpoint/blobs.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { RequestRefused } from '#core/failure.ts';
import type { ApiContext } from '../context.ts';
import { type ApiEnv, makeRouter } from '../http/router.ts';
import { refusals } from '../schemas/errors/refusals.ts';

const Sha = z.string().meta({ description: 'The SHA-256 of the bytes, in hex.', examples: ['0'.repeat(64)] });

/** Types that a browser shows without running anything. */
const SHOWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

const bytes = { schema: { type: 'string' as const, format: 'binary' } };

const read = createRoute({
  method: 'get',
  path: '/v1/blobs/{sha}',
  operationId: 'readBlob',
  tags: ['Blobs'],
  summary: 'Read an image, a file or audio',
  description:
    'The bytes that came inside a message or a result, with the type that they first came with. Reads of turns have this ' +
    'path where the data stood. What is no PNG, JPEG, GIF or WebP comes as an attachment.',
  request: { params: z.object({ sha: Sha }) },
  responses: {
    200: {
      description: 'The bytes.',
      headers: z.object({
        'Content-Disposition': z.string().optional().describe('`attachment`, but for images that browsers show.'),
      }),
      content: Object.fromEntries(
        [...SHOWN, 'application/pdf', 'audio/mp3', 'audio/wav', '*/*'].map((type) => [type, bytes]),
      ),
    },
    ...refusals('blob_not_found'),
  },
});

/** `GET /v1/blobs/:sha`. */
export function blobRoutes({ db }: ApiContext) {
  return makeRouter().openapi(read, readOne(db));
}

function readOne(db: Db): RouteHandler<typeof read, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const { sha: sha256 } = c.req.valid('param');
    const blob = /^[0-9a-f]{64}$/.test(sha256) ? await findBlob(db, project, sha256) : undefined;
    if (!blob) throw blobNotFound();
    const headers = {
      'content-type': blob.mediaType,
      'content-length': String(blob.size),
      ...(SHOWN.has(blob.mediaType) ? {} : { 'content-disposition': 'attachment' }),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'private, max-age=31536000, immutable',
    };
    // What is streamed is not the one answer that the types know of.
    return c.body(piecesOf(db, { project, sha256, size: blob.size }), 200, headers) as never;
  };
}

const PIECE = 512 * 1024;

/** Reads piece after piece as the client takes them, so that no blob is held whole. */
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

function blobNotFound(): RequestRefused {
  const message = 'There is no blob of this SHA-256. Check it and the key; it goes with its last turn.';
  return new RequestRefused(404, 'blob_not_found', message, 'sha');
}
