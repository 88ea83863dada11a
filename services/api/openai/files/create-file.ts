import { createHash } from 'node:crypto';
import { type RouteHandler, z } from '@hono/zod-openapi';
import { createFile, type NewFile } from '#core/checkpoint/files/files.ts';
import { RequestRefused } from '#core/failure.ts';
import { newFileId } from '#core/id.ts';
import { quote } from '#core/text.ts';
import { problemOfPixels } from '#core/turn/parts/media-type.ts';
import { typeOfFile } from '#core/turn/parts/type-of-file.ts';
import type { ApiContext } from '../../context.ts';
import { withIdempotencyKey } from '../../http/idempotency.ts';
import { type ApiEnv, routesOf } from '../../http/router.ts';
import { ofForm, ofIdempotencyKey } from '../../schemas/errors/refusals.ts';
import { idempotencyKey, replayedHeader } from '../../schemas/fields/headers.ts';
import { queryInteger } from '../../schemas/fields/query-number.ts';
import { makeOpenaiRouter, serve } from '../openai-router.ts';
import { readValue } from '../responses/request/explain-issues.ts';
import { openaiAnswer, responseRefusals } from '../responses/schemas/response-refusals.ts';
import { FileObject, findOwnFile, presentFile } from './find-own-file.ts';

const FORM = 'FileForm';

const route = routesOf('Files', responseRefusals);

const createOne = route('post', '/files', 'createFile', {
  summary: 'Create a file',
  description:
    'The body is a multipart form. A content part that names the file by `file_id` works like a part with the same bytes inline.',
  parameters: [idempotencyKey],
  // With a zod schema, the framework would parse the form a second time.
  request: {
    body: {
      required: true,
      content: { 'multipart/form-data': { schema: { $ref: `#/components/schemas/${FORM}` } } },
    },
  },
  answers: {
    200: openaiAnswer('The file.', FileObject, replayedHeader),
  },
  refusals: [...ofForm, ...ofIdempotencyKey, 'unsupported_value', 'file_not_found'],
});

/** Serves `POST /v1/files` and `POST /openai/v1/files`. */
export function createFileRoutes(context: ApiContext) {
  const router = makeOpenaiRouter(undefined, [serve(createOne, create(context))]);
  router.openAPIRegistry.register(FORM, FileForm);
  return router;
}

function create(context: ApiContext): RouteHandler<typeof createOne, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const file = newFile(project, readValue(FileForm, c.get('form'), []));
    const { resourceId } = await withIdempotencyKey(c, context, {
      inTransaction: async (trx) => {
        await createFile(trx, file);
        return { status: 200, resourceId: file.id };
      },
    });
    return c.json(presentFile(await findOwnFile(context.db, project, resourceId)), 200);
  };
}

function newFile(project: string, { file, purpose, ...expiry }: FileForm): NewFile {
  if (purpose !== 'user_data') {
    const message = `\`purpose\` ${quote(purpose)} is not supported. Set it to \`user_data\`.`;
    throw new RequestRefused(400, 'unsupported_value', message, 'purpose');
  }
  const { bytes } = file;
  const mediaType = typeOfFile({ ...file, declared: file.mediaType });
  const problem = problemOfPixels(mediaType, bytes);
  if (problem) throw new RequestRefused(400, 'invalid_value', `\`file\` is not valid: ${problem}.`, 'file');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const blob = { sha256, mediaType, bytes };
  return { id: newFileId(), project, filename: file.filename, purpose, blob, expiresInSeconds: secondsOf(expiry) };
}

/** The anchor and the seconds belong together. */
function secondsOf(expiry: Omit<FileForm, 'file' | 'purpose'>): number | null {
  const { 'expires_after[anchor]': anchor, 'expires_after[seconds]': seconds } = expiry;
  if ((anchor === undefined) === (seconds === undefined)) return seconds ?? null;
  const missing = anchor === undefined ? 'expires_after[anchor]' : 'expires_after[seconds]';
  const message = `\`${missing}\` is missing. Give both fields of \`expires_after\`.`;
  throw new RequestRefused(400, 'missing_required_parameter', message, missing);
}

const NAME_LENGTH = 512;

const sent = z
  .object(
    { filename: z.string(), mediaType: z.string(), bytes: z.instanceof(Buffer) },
    { error: ({ input }) => (input === undefined ? undefined : 'send one file, with a filename') },
  )
  .refine(({ filename }) => filename !== '', 'give the file a name')
  .refine(({ filename }) => filename.length <= NAME_LENGTH, `give the file a name of at most ${NAME_LENGTH} characters`)
  .refine(({ bytes }) => bytes.length > 0, 'send a file of at least one byte')
  .meta({ type: 'string', format: 'binary', description: 'The bytes of the file, with its name.' });

/** The form of `POST …/files`, by field name. */
const FileForm = z
  .strictObject({
    file: sent,
    purpose: z.string().describe('`user_data`. Other purposes are refused.'),
    'expires_after[anchor]': z.literal('created_at').optional().describe('The time from which `seconds` are counted.'),
    'expires_after[seconds]': queryInteger({ min: 3_600, max: 2_592_000 })
      .optional()
      .describe('Seconds until the file expires. If omitted, the file does not expire.'),
  })
  .meta({
    description: 'The multipart form that creates a file.',
    examples: [
      { file: '@offer.pdf', purpose: 'user_data' },
      {
        ...{ file: '@offer.pdf', purpose: 'user_data' },
        ...{ 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': 86_400 },
      },
    ],
  });
type FileForm = z.output<typeof FileForm>;
