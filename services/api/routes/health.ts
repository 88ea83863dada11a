import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import { ping } from '#core/checkpoint/ping.ts';
import { RequestRefused } from '#core/failure.ts';
import type { ApiEnv } from '../api-env.ts';
import type { ApiContext } from '../context.ts';
import { json, makeRouter } from '../make-router.ts';
import { openRefusals } from '../schemas/refusals.ts';

const alive = createRoute({
  method: 'get',
  path: '/healthz',
  operationId: 'checkHealth',
  tags: ['Operation'],
  summary: 'Say whether the process lives',
  security: [],
  responses: { 200: { description: 'It lives.', content: json(z.object({ status: z.literal('ok') })) } },
});

const ready = createRoute({
  method: 'get',
  path: '/readyz',
  operationId: 'checkReadiness',
  tags: ['Operation'],
  summary: 'Say whether the process can do its work',
  security: [],
  responses: {
    200: { description: 'It can.', content: json(z.object({ status: z.literal('ready') })) },
    ...openRefusals('service_unavailable', 'internal'),
  },
});

/** `/healthz` says that the process lives, `/readyz` that it can do its work; both without a key. */
export function healthRoutes({ db, refusals }: Pick<ApiContext, 'db' | 'refusals'>) {
  const sayAlive: RouteHandler<typeof alive, ApiEnv> = (c) => c.json({ status: 'ok' as const }, 200);
  const sayReady: RouteHandler<typeof ready, ApiEnv> = async (c) => {
    await ping(db);
    const refusal = refusals.current();
    if (refusal) throw new RequestRefused(503, 'service_unavailable', refusal);
    return c.json({ status: 'ready' as const }, 200);
  };
  return makeRouter().openapi(alive, sayAlive).openapi(ready, sayReady);
}
