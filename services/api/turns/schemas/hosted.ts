import { z } from 'zod';
import { HOSTED_TYPES } from '#core/turn/hosted/hosted-tool.ts';

/** A call of a tool that the provider ran, made by `shownHostedCall`. */
export const HostedCall = z
  .object({
    id: z.string().describe('The id of the call at the provider.'),
    type: z.enum(HOSTED_TYPES).describe('The kind of tool.'),
    status: z
      .enum(['in_progress', 'completed', 'failed'])
      .describe('The state of the call. Only live events show a call that is `in_progress`.'),
    input: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('The input of the call, in the names of the provider. Null if the provider does not show it.'),
    output: z
      .string()
      .nullable()
      .describe('The first 64 KiB of the output as text. Null if the provider does not show it.'),
    error: z.string().nullable().describe('The reason why the call failed. Null for other calls.'),
    offset: z.int().describe('The length of the round’s text before the call, in UTF-16 code units.'),
  })
  .meta({
    id: 'HostedCall',
    description: 'A call of a tool that the provider ran.',
    examples: [
      {
        ...{ id: 'ws_1', type: 'web_search', status: 'completed', input: { query: 'weather in Lisbon' } },
        ...{ output: null, error: null, offset: 0 },
      },
    ],
  });

const range = {
  title: z.string().optional().describe('The title of the source. Absent if the provider gave none.'),
  start_index: z.int().describe('The start of the cited text, in UTF-16 code units.'),
  end_index: z.int().describe('The end of the cited text, in UTF-16 code units. It is exclusive.'),
};

/** A citation in a text. */
const Annotation = z
  .discriminatedUnion('type', [
    z
      .object({ type: z.literal('url_citation'), url: z.string().describe('The address of the source.'), ...range })
      .describe('A web page as source.'),
    z
      .object({
        type: z.literal('file_citation'),
        file_id: z.string().describe('The id of the file at the provider.'),
        ...range,
      })
      .describe('A file as source.'),
  ])
  .meta({
    id: 'Annotation',
    description: 'The source of a piece of a text.',
    examples: [
      {
        ...{ type: 'url_citation', url: 'https://example.com/lisbon', title: 'Weather in Lisbon' },
        ...{ start_index: 0, end_index: 8 },
      },
    ],
  });

const OutputPart = z
  .discriminatedUnion('type', [
    z
      .object({
        type: z.literal('output_text'),
        text: z.string().describe('The text.'),
        annotations: z.array(Annotation).describe('The sources of the text. Their indexes count within this part.'),
      })
      .describe('A text.'),
    z
      .object({ type: z.literal('output_image'), image_url: z.string().describe('The path of the image.') })
      .describe('An image that the model made.'),
  ])
  .meta({
    id: 'OutputPart',
    description: 'A text or an image of an answer.',
    examples: [{ type: 'output_text', text: 'Here it is.', annotations: [] }],
  });

/** The citations and images of a text, made by `presentHosted`. */
export const hostedFields = {
  output_annotations: z.array(Annotation).describe('The sources that the text cites. Empty if it cites none.'),
  output_parts: z
    .array(OutputPart)
    .nullable()
    .describe('The text and the images of the answer in order. Null if there are no images.'),
};
