import { defineTool, parts } from 'pawl/tools';
import { z } from 'zod';
import { image, PDF, PNG } from './samples.ts';

const none = z.object({});

/** Server-side tools that return parts as well as text. */
export default [
  defineTool({
    name: 'take_picture',
    description: 'Takes a picture with the camera',
    input: none,
    output: z.object({ never: z.literal('read') }),
    effect: 'none',
    cacheTtlSeconds: 600,
    execute: () =>
      parts([
        { type: 'input_text', text: 'As it is now:' },
        { type: 'input_image', image_url: `data:image/png;base64,${PNG}` },
        { type: 'input_file', file_data: `data:application/pdf;base64,${PDF}`, filename: 'about.pdf' },
      ]),
  }),
  defineTool({
    name: 'take_broken_picture',
    description: 'Takes a picture with a broken camera',
    input: none,
    effect: 'none',
    retry: { maxAttempts: 1 },
    execute: () => parts([{ type: 'input_image', image_url: image('AAAA').image_url }]),
  }),
  defineTool({
    name: 'tell_a_lot',
    description: 'Tells a lot, with a picture',
    input: none,
    effect: 'none',
    execute: () =>
      parts([
        { type: 'input_text', text: 'ä'.repeat(100) },
        { type: 'input_image', image_url: `data:image/png;base64,${PNG}` },
        { type: 'input_text', text: 'b'.repeat(100) },
      ]),
  }),
];
