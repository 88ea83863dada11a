import { z } from 'zod';

const address = (message: string, pattern: RegExp) => z.string().regex(pattern, message);

const KEPT = '/v1/blobs/[0-9a-f]{64}$';
const HTTPS = 'https://.{1,8192}$';

/** How closely a model looks at an image, in OpenAI's words. */
export const IMAGE_DETAILS = ['auto', 'low', 'high', 'original'] as const;

const text = z
  .strictObject({
    type: z.literal('input_text'),
    text: z.string().min(1, 'give some text').describe('The text.'),
  })
  .meta({ id: 'InputText', description: 'A text.', examples: [{ type: 'input_text', text: 'What is this?' }] });

const image = z
  .strictObject({
    type: z.literal('input_image'),
    image_url: address(
      'give a data: URL in base64, an https address, or the path of a blob',
      new RegExp(`^(?:data:|${HTTPS}|${KEPT})`),
    ).describe('The image: a `data:` URL, an https URL, or `/v1/blobs/…`, which is how reads show stored data.'),
    detail: z
      .enum(IMAGE_DETAILS)
      .nullish()
      .describe('How closely the model should look. A hint, passed on to providers that support it.'),
  })
  .meta({
    id: 'InputImage',
    description: 'An image. The provider fetches its https URL, Pawl does not.',
    examples: [{ type: 'input_image', image_url: 'https://example.com/cat.png', detail: 'low' }],
  });

const file = z
  .strictObject({
    type: z.literal('input_file'),
    filename: z.string().max(512).nullish().describe('The name of the file, for the model.'),
    file_data: address('give a data: URL in base64, or the path of a blob', new RegExp(`^(?:data:|${KEPT})`))
      .optional()
      .describe('The file: a `data:` URL, or `/v1/blobs/…`. Give `file_data` or `file_url`.'),
    file_url: address('give an https address', new RegExp(`^${HTTPS}`))
      .optional()
      .describe('The https URL from which the provider fetches the file. Give `file_url` or `file_data`.'),
  })
  .refine(({ file_data, file_url }) => (file_data === undefined) !== (file_url === undefined), {
    path: ['file_data'],
    message: 'give either file_data or file_url',
  })
  .meta({
    id: 'InputFile',
    description: 'A file, such as a PDF. Providers accept different media types.',
    examples: [{ type: 'input_file', filename: 'offer.pdf', file_url: 'https://example.com/offer.pdf' }],
  });

/** The data of audio as callers send it. Only rows have the address of a blob. */
export const audioData = address(
  'give audio in base64, or the path of a blob',
  new RegExp(`^(?!blob:)(?:(?!/v1/)|${KEPT})`),
).min(1, 'give some audio');

const audio = z
  .strictObject({
    type: z.literal('input_audio'),
    data: audioData.describe('The audio: base64, or `/v1/blobs/…`.'),
    format: z.enum(['mp3', 'wav']).describe('The format of the audio.'),
  })
  .meta({
    id: 'InputAudio',
    description: 'Speech or other sound.',
    examples: [{ type: 'input_audio', data: `/v1/blobs/${'0'.repeat(64)}`, format: 'wav' }],
  });

/** A part of a message or of a result, as callers send it and as responses show it. */
export const InputPart = z.discriminatedUnion('type', [text, image, file, audio]);

/** The most parts of a message or of a result. */
export const MAX_PARTS = 1_000;
