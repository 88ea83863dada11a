import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import { loadHistory } from '#core/checkpoint/load-history.ts';
import { compactHistory, openaiHistory } from '#core/turn/history.ts';
import type { ApiEnv } from '../api-env.ts';
import type { ApiContext } from '../context.ts';
import { findOwnConversation } from '../find-own.ts';
import { json, makeRouter } from '../make-router.ts';
import { refusals } from '../schemas/refusals.ts';

const read = createRoute({
  method: 'get',
  path: '/v1/conversations/{id}/messages',
  summary: 'Read what was said: compact (a final text with its rounds) or expanded as a provider is sent it',
  request: {
    params: z.object({ id: z.string() }),
    query: z.object({ format: z.enum(['compact', 'openai']).default('compact') }),
  },
  responses: {
    200: {
      description: 'All messages, oldest first',
      content: json(
        z.object({
          object: z.literal('list'),
          data: z.array(z.record(z.string(), z.unknown())),
          has_more: z.boolean(),
          next_cursor: z.null(),
          system: z.string().nullable().optional(),
        }),
      ),
    },
    ...refusals,
  },
});

/** `GET /v1/conversations/:id/messages`. */
export function messageRoutes({ db }: ApiContext) {
  const handler: RouteHandler<typeof read, ApiEnv> = async (c) => {
    const { id, config } = await findOwnConversation(db, c.get('project'), c.req.valid('param').id);
    const turns = await loadHistory(db, id);
    const data =
      c.req.valid('query').format === 'openai' ? openaiHistory(turns, config.instructions) : compactHistory(turns);
    return c.json({ object: 'list' as const, data, has_more: false, next_cursor: null }, 200);
  };
  return makeRouter().openapi(read, handler);
}
