import { z } from '@hono/zod-openapi';

const id = z.string().describe('The id of the item: the id of the response, and the position of the item.');
const status = z
  .enum(['in_progress', 'completed', 'failed'])
  .describe('The status of the call. `in_progress` occurs only in a stream.');
const entries = z.array(z.record(z.string(), z.unknown()));

const Action = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('search'),
    query: z.string().describe('The first query.'),
    queries: z.array(z.string()).optional().describe('All queries.'),
    sources: z
      .array(z.object({ type: z.literal('url'), url: z.string().describe('The URL of the page.') }))
      .optional()
      .describe('The pages that the search found. Present only if the request includes them.'),
  }),
  z.object({ type: z.literal('open_page'), url: z.string().nullable().describe('The URL of the page.') }),
  z.object({
    type: z.literal('find_in_page'),
    url: z.string().describe('The URL of the page.'),
    pattern: z.string().describe('The text that the provider looked for.'),
  }),
]);

const WebSearchCall = z.object({
  ...{ id, type: z.literal('web_search_call'), status },
  action: Action.describe('The action of the call. A search without a query until the call has ended.'),
  results: entries.optional().describe('The results of the search. Present only if the request includes them.'),
});

const CodeInterpreterCall = z.object({
  ...{ id, type: z.literal('code_interpreter_call'), status },
  code: z.string().nullable().describe('The code that the provider ran.'),
  container_id: z.string().describe('Always empty, because the provider keeps its container.'),
  outputs: z
    .array(z.object({ type: z.literal('logs'), logs: z.string().describe('The output of the code.') }))
    .nullable()
    .describe('The output of the code. Null unless the request includes it.'),
});

const FileSearchCall = z.object({
  ...{ id, type: z.literal('file_search_call'), status },
  queries: z.array(z.string()).describe('The queries of the search.'),
  results: entries.nullable().describe('The passages that the search found. Null unless the request includes them.'),
});

const ImageGenerationCall = z.object({
  ...{ id, type: z.literal('image_generation_call'), status },
  result: z.string().nullable().describe('The image in base64. Null if there is no image.'),
  output_format: z.string().optional().describe('The format of the image, such as `png`.'),
  revised_prompt: z.string().optional().describe('The prompt that the provider used.'),
});

/** The items of calls that the provider ran. */
export const hostedCallItems = [WebSearchCall, CodeInterpreterCall, FileSearchCall, ImageGenerationCall] as const;

/** A source of a piece of a text, in OpenAI's shape. */
export const OutputAnnotation = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('url_citation'),
    start_index: z.int().describe('The start of the cited text in its part, in UTF-16 code units.'),
    end_index: z.int().describe('The end of the cited text in its part, in UTF-16 code units.'),
    url: z.string().describe('The URL of the source.'),
    title: z.string().describe('The title of the source. Empty if unknown.'),
  }),
  z.object({
    type: z.literal('file_citation'),
    index: z.int().describe('The end of the cited text in its part, in UTF-16 code units.'),
    file_id: z.string().describe('The provider’s id of the file.'),
    filename: z.string().describe('The name of the file. Empty if unknown.'),
  }),
]);
