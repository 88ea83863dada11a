import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import { deleteFile, findFiles, listFiles } from '#core/checkpoint/files/files.ts';
import { describedBytes, sendBytes } from '../../blobs/send-bytes.ts';
import type { ApiContext } from '../../context.ts';
import { RESPONSE_BASES, type ResponseBase } from '../../http/response-base.ts';
import { type ApiEnv, json, makeRouter } from '../../http/router.ts';
import { queryInteger } from '../../schemas/fields/query-number.ts';
import { itemPage, notInList } from '../responses/item-page.ts';
import { explainResponseIssues } from '../responses/request/explain-issues.ts';
import { operationAt } from '../responses/schemas/operation-at.ts';
import { openaiHeaders, responseRefusals } from '../responses/schemas/response-refusals.ts';
import { fileNotFound, findOwnFile, presentFile } from './find-own-file.ts';
import { DeletedFile, FileId, FileList, FileObject } from './schemas/file-object.ts';

const params = z.object({ id: FileId });
const headers = z.object(openaiHeaders);

const at = (base: ResponseBase, name: string, summary: string) => ({
  ...operationAt(base, name, summary),
  tags: ['Files'],
});

const listAt = (base: ResponseBase) =>
  createRoute({
    method: 'get',
    path: `${base}/files`,
    ...at(base, 'listFiles', 'List the files of a project'),
    request: {
      query: z.object({
        purpose: z.string().optional().describe('Only files of this purpose.'),
        order: z.enum(['asc', 'desc']).default('desc').describe('By the time of creation.'),
        limit: queryInteger({ min: 1, max: 100 }).default(20).describe('The size of a page.'),
        after: z.string().optional().describe('The `last_id` of the page before.'),
      }),
    },
    responses: {
      200: { description: 'A page of files.', headers, content: json(FileList) },
      ...responseRefusals('invalid_value'),
    },
  });

const retrieveAt = (base: ResponseBase) =>
  createRoute({
    method: 'get',
    path: `${base}/files/{id}`,
    ...at(base, 'retrieveFile', 'Retrieve a file'),
    request: { params },
    responses: {
      200: { description: 'The file.', headers, content: json(FileObject) },
      ...responseRefusals('file_not_found'),
    },
  });

const readAt = (base: ResponseBase) =>
  createRoute({
    method: 'get',
    path: `${base}/files/{id}/content`,
    ...at(base, 'readFileContent', 'Read the bytes of a file'),
    request: { params },
    responses: {
      200: {
        description: 'The bytes.',
        headers: z.object({ ...openaiHeaders, ...describedBytes.headers.shape }),
        content: describedBytes.content,
      },
      ...responseRefusals('file_not_found'),
    },
  });

const removeAt = (base: ResponseBase) =>
  createRoute({
    method: 'delete',
    path: `${base}/files/{id}`,
    ...at(base, 'deleteFile', 'Delete a file'),
    description: 'Turns that have used the file keep its bytes.',
    request: { params },
    responses: {
      200: { description: 'The file was deleted.', headers, content: json(DeletedFile) },
      ...responseRefusals('quota_exceeded', 'file_not_found'),
    },
  });

/** `GET` and `DELETE` of files, under both bases (contract-responses R74). */
export function fileRoutes(context: ApiContext) {
  const router = makeRouter(explainResponseIssues);
  for (const base of RESPONSE_BASES) {
    router
      .openapi(listAt(base), list(context))
      .openapi(retrieveAt(base), retrieve(context))
      .openapi(readAt(base), read(context))
      .openapi(removeAt(base), remove(context));
  }
  return router;
}

function list({ db }: ApiContext): RouteHandler<ReturnType<typeof listAt>, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const { purpose, order, limit, after } = c.req.valid('query');
    const [last] = after === undefined ? [] : await findFiles(db, project, [after]);
    const isListed = last !== undefined && (purpose ?? last.purpose) === last.purpose;
    if (after !== undefined && !isListed) throw notInList();
    const files = await listFiles(db, project, { purpose, order, after, limit });
    return c.json(itemPage(files.map(presentFile), { limit }), 200);
  };
}

function retrieve({ db }: ApiContext): RouteHandler<ReturnType<typeof retrieveAt>, ApiEnv> {
  return async (c) => c.json(presentFile(await findOwnFile(db, c.get('project'), c.req.valid('param').id)), 200);
}

function read({ db }: ApiContext): RouteHandler<ReturnType<typeof readAt>, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const file = await findOwnFile(db, project, c.req.valid('param').id);
    // The route types do not cover streamed answers.
    return sendBytes(c, db, { ...file, project, cache: 'private, no-cache' }) as never;
  };
}

function remove({ db }: ApiContext): RouteHandler<ReturnType<typeof removeAt>, ApiEnv> {
  return async (c) => {
    const { id } = c.req.valid('param');
    if (!(await deleteFile(db, c.get('project'), id))) throw fileNotFound();
    return c.json({ id, object: 'file' as const, deleted: true as const }, 200);
  };
}
