import { z } from '@hono/zod-openapi';
import { findBlob } from '#core/checkpoint/blobs.ts';
import type { ApiContext } from '../context.ts';
import { makeRouter, routesOf } from '../http/router.ts';
import { refused } from '../schemas/errors/error-codes.ts';
import { describedBytes, sendBytes } from './send-bytes.ts';

const Sha = z.string().meta({ description: 'The SHA-256 of the bytes, in hex.', examples: ['0'.repeat(64)] });

const route = routesOf('Blobs');

const read = route('get', '/v1/blobs/{sha}', 'readBlob', {
  summary: 'Read an image, a file or audio',
  description:
    'Returns the bytes of a message or a result, with their original media type. Reads of turns show this path in place of the data. Files other than PNG, JPEG, GIF and WebP are sent as attachments.',
  request: { params: z.object({ sha: Sha }) },
  answers: {
    200: {
      description: 'The bytes.',
      ...describedBytes,
    },
  },
  refusals: ['blob_not_found'],
});

/** Serves `GET /v1/blobs/:sha`. */
export function blobRoutes({ db }: ApiContext) {
  return makeRouter().openapi(read, async (c) => {
    const project = c.get('project');
    const { sha: sha256 } = c.req.valid('param');
    const blob = /^[0-9a-f]{64}$/.test(sha256) ? await findBlob(db, project, sha256) : undefined;
    if (!blob) throw refused('blob_not_found');
    const cache = 'private, max-age=31536000, immutable';
    // The route types do not cover streamed answers.
    return sendBytes(c, db, { project, sha256, ...blob, cache }) as never;
  });
}
