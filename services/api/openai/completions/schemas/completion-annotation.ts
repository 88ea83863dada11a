import { z } from '@hono/zod-openapi';

/** A source on the web of a completion's content, in OpenAI's shape. */
export const CompletionAnnotation = z.object({
  type: z.literal('url_citation'),
  url_citation: z
    .object({
      start_index: z.int().describe('The start of the cited text in the content, in UTF-16 code units.'),
      end_index: z.int().describe('The end of the cited text in the content, in UTF-16 code units.'),
      url: z.string().describe('The URL of the source.'),
      title: z.string().describe('The title of the source. Empty if unknown.'),
    })
    .describe('The source.'),
});
