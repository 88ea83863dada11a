import { type RouteHandler, z } from '@hono/zod-openapi';
import { deleteFile, findFiles, listFiles } from '#core/checkpoint/files/files.ts';
import { describedBytes, sendBytes } from '../../blobs/send-bytes.ts';
import type { ApiContext } from '../../context.ts';
import { type ApiEnv, routesOf } from '../../http/router.ts';
import { makeOpenaiRouter, serve } from '../openai-router.ts';
import { itemPage, notInList, pageQuery } from '../responses/item-page.ts';
import { explainResponseIssues } from '../responses/request/explain-issues.ts';
import { openaiAnswer, openaiHeaders, responseRefusals } from '../responses/schemas/response-refusals.ts';
import { DeletedFile, FileId, FileList, FileObject, fileNotFound, findOwnFile, presentFile } from './find-own-file.ts';

const params = z.object({ id: FileId });

const route = routesOf('Files', responseRefusals);

const list = route('get', '/files', 'listFiles', {
  summary: 'List the files of a project',
  request: {
    query: z.object({
      purpose: z.string().optional().describe('Only files of this purpose.'),
      ...pageQuery('desc', 'The order, by time of creation.'),
    }),
  },
  answers: { 200: openaiAnswer('A page of files.', FileList) },
  refusals: ['invalid_value'],
});

const retrieve = route('get', '/files/{id}', 'retrieveFile', {
  summary: 'Retrieve a file',
  request: { params },
  answers: { 200: openaiAnswer('The file.', FileObject) },
  refusals: ['file_not_found'],
});

const read = route('get', '/files/{id}/content', 'readFileContent', {
  summary: 'Read the bytes of a file',
  request: { params },
  answers: {
    200: {
      description: 'The bytes.',
      headers: z.object({ ...openaiHeaders, ...describedBytes.headers.shape }),
      content: describedBytes.content,
    },
  },
  refusals: ['file_not_found'],
});

const remove = route('delete', '/files/{id}', 'deleteFile', {
  summary: 'Delete a file',
  description: 'Deletes the file. Turns that have used the file keep its bytes.',
  request: { params },
  answers: { 200: openaiAnswer('The file was deleted.', DeletedFile) },
  refusals: ['quota_exceeded', 'file_not_found'],
});

/** Serves `GET` and `DELETE` of files, under both bases. */
export function fileRoutes(context: ApiContext) {
  return makeOpenaiRouter(explainResponseIssues, [
    serve(list, listSome(context)),
    serve(retrieve, retrieveOne(context)),
    serve(read, readOne(context)),
    serve(remove, removeOne(context)),
  ]);
}

function listSome({ db }: ApiContext): RouteHandler<typeof list, ApiEnv> {
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

function retrieveOne({ db }: ApiContext): RouteHandler<typeof retrieve, ApiEnv> {
  return async (c) => c.json(presentFile(await findOwnFile(db, c.get('project'), c.req.valid('param').id)), 200);
}

function readOne({ db }: ApiContext): RouteHandler<typeof read, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const file = await findOwnFile(db, project, c.req.valid('param').id);
    // The route types do not cover streamed answers.
    return sendBytes(c, db, { ...file, project, cache: 'private, no-cache' }) as never;
  };
}

function removeOne({ db }: ApiContext): RouteHandler<typeof remove, ApiEnv> {
  return async (c) => {
    const { id } = c.req.valid('param');
    if (!(await deleteFile(db, c.get('project'), id))) throw fileNotFound();
    return c.json({ id, object: 'file' as const, deleted: true as const }, 200);
  };
}
