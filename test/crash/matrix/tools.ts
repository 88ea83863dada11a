import { defineTool, type ToolContext } from 'pawl/tools';
import { z } from 'zod';

const input = z.object({ url: z.string().describe('Where the recorder listens') });

/** Server-side tools that do nothing but call the recorder. */
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
];

async function call(url: string, { idempotencyKey, turnId, signal }: ToolContext): Promise<unknown> {
  const headers = { 'idempotency-key': idempotencyKey, 'pawl-turn-id': turnId };
  return (await fetch(url, { method: 'POST', headers, body: '{}', signal })).json();
}
