import { z } from '@hono/zod-openapi';
import { queryInteger } from '../../../schemas/fields/query-number.ts';

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

/** The form of `POST …/files`, by the names of its fields (contract-responses R74). */
export const FileForm = z
  .strictObject({
    file: sent,
    purpose: z.string().describe('`user_data`. Any other purpose is refused.'),
    'expires_after[anchor]': z.literal('created_at').optional().describe('The time from which `seconds` count.'),
    'expires_after[seconds]': queryInteger({ min: 3_600, max: 2_592_000 })
      .optional()
      .describe('Seconds after which the file expires. Without them, it does not expire.'),
  })
  .meta({
    description: 'A file to be created, as a multipart form.',
    examples: [
      { file: '@offer.pdf', purpose: 'user_data' },
      {
        ...{ file: '@offer.pdf', purpose: 'user_data' },
        ...{ 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': 86_400 },
      },
    ],
  });
export type FileForm = z.output<typeof FileForm>;
