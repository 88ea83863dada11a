import { defineTool, parts, type ToolContext } from 'pawl/tools';
import { z } from 'zod';
import { PNG } from '#test/api/blobs/samples.ts';

const input = z.object({ url: z.string().describe('Where the recorder listens') });

/** Server-side tools that only call the recorder. */
export default [
  defineTool({
    name: 'look',
    description: 'Looks, which changes nothing',
    input,
    effect: 'none',
    rateLimit: { max: 100, perSeconds: 60 },
    execute: ({ url }, context) => call(`${url}/look`, context),
  }),
  defineTool({
    name: 'mail',
    description: 'Sends a letter, once',
    input,
    execute: ({ url }, context) => call(`${url}/mail`, context),
  }),
  defineTool({
    name: 'picture',
    description: 'Looks, and answers with an image',
    input,
    effect: 'none',
    execute: async ({ url }, context) => {
      await call(`${url}/picture`, context);
      return parts([{ type: 'input_image', image_url: `data:image/png;base64,${PNG}` }]);
    },
  }),
];

async function call(url: string, { idempotencyKey, turnId, signal }: ToolContext): Promise<unknown> {
  const headers = { 'idempotency-key': idempotencyKey, 'pawl-turn-id': turnId };
  return (await fetch(url, { method: 'POST', headers, body: '{}', signal })).json();
}
