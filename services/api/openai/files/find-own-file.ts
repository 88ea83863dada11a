import { z } from '@hono/zod-openapi';
import { findFiles, type KeptFile } from '#core/checkpoint/files/files.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { RequestRefused } from '#core/failure.ts';
import { InputItemList } from '../responses/schemas/response-object.ts';

/**
 * Finds a file of a project. The answer to an id of another project is the same 404 as to an unknown id
 * (contract-responses R1).
 */
export async function findOwnFile(db: Db, project: string, id: string): Promise<KeptFile> {
  const [file] = await findFiles(db, project, [id]);
  if (!file) throw fileNotFound();
  return file;
}

/** Returns the refusal of a file that does not exist, or no longer does. */
export function fileNotFound(): RequestRefused {
  const message =
    'The file was not found. Check its id, and that the API key belongs to its project. It may have expired.';
  return new RequestRefused(404, 'file_not_found', message, 'id');
}

/** Shows a file as OpenAI's API does. */
export function presentFile({ id, size, createdAt, expiresAt, filename }: KeptFile) {
  return {
    ...{ id, object: 'file' as const, bytes: size, created_at: createdAt },
    ...(expiresAt === null ? {} : { expires_at: expiresAt }),
    ...{ filename, purpose: 'user_data' as const, status: 'processed' as const },
  };
}

/** The id of a file. An impossible id is answered like an unknown one. */
export const FileId = z.string().meta({
  description: 'The id of a file.',
  pattern: '^file-[0-7][0-9a-hjkmnp-tv-z]{25}$',
  examples: ['file-01kagz8m4pfvbte2n5q7rys3wx'],
});

/** A file, as OpenAI's clients read it (contract-responses R74). */
export const FileObject = z
  .object({
    id: FileId,
    object: z.literal('file'),
    bytes: z.int().min(1).describe('How many bytes the file has.'),
    created_at: z.int().describe('When the file was created, in Unix seconds.'),
    expires_at: z.int().optional().describe('When the file expires, in Unix seconds. Absent if it does not expire.'),
    filename: z.string().describe('The name that the file was sent with.'),
    purpose: z.literal('user_data').describe('The use of the file: parts of inputs.'),
    status: z.literal('processed').describe('Always `processed`: a file can be used at once.'),
  })
  .meta({
    id: 'FileObject',
    description: 'A file that a client has sent to use it in inputs.',
    examples: [
      {
        ...{ id: 'file-01kagz8m4pfvbte2n5q7rys3wx', object: 'file', bytes: 48_211, created_at: 1_795_392_000 },
        ...{ filename: 'offer.pdf', purpose: 'user_data', status: 'processed' },
      },
    ],
  });

/** The answer to a delete. */
export const DeletedFile = z.object({ id: FileId, object: z.literal('file'), deleted: z.literal(true) });

/** A page of files (contract-responses R3). */
export const FileList = InputItemList.extend({ data: z.array(FileObject).describe('The files of this page.') });
