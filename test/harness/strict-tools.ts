import { defineTool } from 'pawl/tools';
import { z } from 'zod';

/** The effects of the tools below in this process. */
export const done: string[] = [];

/** The tools of an operator, with rules that a caller may try to loosen. */
export default [
  defineTool({
    name: 'send_money',
    description: 'Sends money, after a person has allowed it',
    input: z.object({ amount: z.number().max(100) }),
    approval: 'always',
    capabilities: ['network'],
    execute: ({ amount }) => done.push(`sent ${amount}`),
  }),
  defineTool({
    name: 'post_notice',
    description: 'Posts a notice, one in an hour',
    input: z.object({ text: z.string() }),
    effect: 'idempotent',
    timeoutMs: 400,
    rateLimit: { max: 1, perSeconds: 3600 },
    execute: ({ text }) => done.push(`posted ${text}`),
  }),
  defineTool({
    name: 'read_notice',
    description: 'Reads the notice of a place',
    input: z.object({ place: z.string() }),
    effect: 'none',
    cacheTtlSeconds: 60,
    execute: ({ place }) => `${place}: ${done.push(`read ${place}`)}`,
  }),
];
