import { z } from '@hono/zod-openapi';
import { InputItemList } from '../../responses/schemas/response-object.ts';

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
