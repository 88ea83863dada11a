import { z } from '@hono/zod-openapi';
import { findFiles, type KeptFile } from '#core/checkpoint/files/files.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { RequestRefused } from '#core/failure.ts';
import { InputItemList } from '../responses/schemas/response-object.ts';

/** Finds a file of a project. An id of another project is the same 404 as an unknown id. */
export async function findOwnFile(db: Db, project: string, id: string): Promise<KeptFile> {
  const [file] = await findFiles(db, project, [id]);
  if (!file) throw fileNotFound();
  return file;
}

/** Returns the refusal of a file that does not exist, or no longer exists. */
export function fileNotFound(): RequestRefused {
  const message =
    'File not found. Check its id, and that the API key belongs to its project. The file may have expired.';
  return new RequestRefused(404, 'file_not_found', message, 'id');
}

/** Presents a file in OpenAI's shape. */
export function presentFile({ id, size, createdAt, expiresAt, filename }: KeptFile) {
  return {
    ...{ id, object: 'file' as const, bytes: size, created_at: createdAt },
    ...(expiresAt === null ? {} : { expires_at: expiresAt }),
    ...{ filename, purpose: 'user_data' as const, status: 'processed' as const },
  };
}

/** The id of a file. An impossible id is answered like an unknown id. */
export const FileId = z.string().meta({
  description: 'The id of a file.',
  pattern: '^file-[0-7][0-9a-hjkmnp-tv-z]{25}$',
  examples: ['file-01kagz8m4pfvbte2n5q7rys3wx'],
});

/** A file in OpenAI's shape. */
export const FileObject = z
  .object({
    id: FileId,
    object: z.literal('file'),
    bytes: z.int().min(1).describe('The size of the file in bytes.'),
    created_at: z.int().describe('The time when the file was created, in Unix seconds.'),
    expires_at: z
      .int()
      .optional()
      .describe('The time when the file expires, in Unix seconds. Absent if the file does not expire.'),
    filename: z.string().describe('The filename that the client sent.'),
    purpose: z.literal('user_data').describe('The purpose of the file: parts of inputs.'),
    status: z.literal('processed').describe('Always `processed`: a file is usable at once.'),
  })
  .meta({
    id: 'FileObject',
    description: 'A file that a client sent for use in inputs.',
    examples: [
      {
        ...{ id: 'file-01kagz8m4pfvbte2n5q7rys3wx', object: 'file', bytes: 48_211, created_at: 1_795_392_000 },
        ...{ filename: 'offer.pdf', purpose: 'user_data', status: 'processed' },
      },
    ],
  });

/** The answer to a delete. */
export const DeletedFile = z.object({ id: FileId, object: z.literal('file'), deleted: z.literal(true) });

/** A page of files. */
export const FileList = InputItemList.extend({ data: z.array(FileObject).describe('The files of this page.') });
