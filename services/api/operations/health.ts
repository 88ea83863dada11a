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
  summary: 'Report whether the process is alive',
  security: [],
  responses: { 200: { description: 'It lives.', content: json(z.object({ status: z.literal('ok') })) } },
});

const Ready = z.object({
  status: z.literal('ready'),
  queue: z
    .enum(['ready', 'away'])
    .describe('The state of the queue. While it is unavailable, turns are accepted, and start when it is back.'),
  workers: z.number().int().min(0).describe('The number of live workers. A killed worker counts for up to 15 s more.'),
  notes: z.array(z.string()).describe('Problems that keep some or all turns from running, each with the next step.'),
});

const ready = createRoute({
  method: 'get',
  path: '/readyz',
  operationId: 'checkReadiness',
  tags: ['Operation'],
  summary: 'Report whether the process can do its work, and which parts are unavailable',
  security: [],
  responses: {
    200: { description: 'The process accepts turns.', content: json(Ready) },
    ...openRefusals('service_unavailable', 'internal'),
  },
});

/** Serves `/healthz` (the process is alive) and `/readyz` (the process can work), both without a key. */
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
