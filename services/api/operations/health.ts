import { createRoute, z } from '@hono/zod-openapi';
import { RequestRefused } from '#core/failure.ts';
import type { ApiContext } from '../context.ts';
import { json, makeRouter } from '../http/router.ts';
import { openRefusals } from '../schemas/errors/refusals.ts';

const alive = createRoute({
  method: 'get',
  path: '/healthz',
  operationId: 'checkHealth',
  tags: ['Operation'],
  summary: 'Say whether the process lives',
  security: [],
  responses: { 200: { description: 'It lives.', content: json(z.object({ status: z.literal('ok') })) } },
});

const Ready = z.object({
  status: z.literal('ready'),
  queue: z.enum(['ready', 'away']).describe('While it is away, turns are accepted and start once it is back.'),
  workers: z.number().int().min(0).describe('How many workers are alive; a killed one counts for up to 15 s more.'),
  notes: z.array(z.string()).describe('What keeps turns from running now, or some of them, and what to do about it.'),
});

const ready = createRoute({
  method: 'get',
  path: '/readyz',
  operationId: 'checkReadiness',
  tags: ['Operation'],
  summary: 'Say whether the process can do its work, and which parts are away',
  security: [],
  responses: {
    200: { description: 'It accepts turns.', content: json(Ready) },
    ...openRefusals('service_unavailable', 'internal'),
  },
});

/** `/healthz` says that the process lives, `/readyz` that it can do its work; both without a key. */
export function healthRoutes({
  availability,
  connectionRefusals,
  mcp,
}: Pick<ApiContext, 'availability' | 'connectionRefusals' | 'mcp'>) {
  return makeRouter()
    .openapi(alive, (c) => c.json({ status: 'ok' as const }, 200))
    .openapi(ready, async (c) => {
      const { away, stores, workers } = await availability.check();
      const reason = connectionRefusals.current() ?? away.get('database') ?? away.get('disk');
      if (reason) throw new RequestRefused(503, 'service_unavailable', reason);
      const queue = away.has('queue') ? ('away' as const) : ('ready' as const);
      const notes = [...away.values(), ...stores.values(), ...mcp.problems()].filter((note) => note !== null);
      return c.json({ status: 'ready' as const, queue, workers: workers ?? 0, notes }, 200);
    });
}
