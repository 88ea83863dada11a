import { createRoute, z } from '@hono/zod-openapi';
import { RequestRefused } from '#core/failure.ts';
import { withStandingGauges } from '../../process/metrics/standing-gauges.ts';
import type { ApiContext } from '../context.ts';
import { makeRouter } from '../http/router.ts';
import { keyedRefusals } from '../schemas/errors/refusals.ts';

const read = createRoute({
  method: 'get',
  path: '/metrics',
  operationId: 'readMetrics',
  tags: ['Operation'],
  summary: 'Read counts and gauges for Prometheus',
  description:
    'Requires `PAWL_METRICS_KEY` or an admin key. Without the variable, the metrics of a `HOST` on loopback are open.',
  responses: {
    200: {
      description: 'The metrics, in the text format of Prometheus.',
      content: { 'text/plain': { schema: z.string() } },
    },
    ...keyedRefusals(),
  },
});

type Context = Pick<ApiContext, 'db' | 'countJobs' | 'streamHub' | 'availability' | 'metrics' | 'mayReadMetrics'>;

/** Serves `GET /metrics` in the text format of Prometheus, even while the database is unavailable. */
export function metricsRoutes({ mayReadMetrics, metrics, streamHub, ...sources }: Context) {
  const countStreams = () => streamHub.count().streams;
  const readMetrics = withStandingGauges(metrics, { ...sources, countStreams });
  return makeRouter().openapi(read, async (c) => {
    refuseUnlessAllowed(mayReadMetrics(c.req.header('authorization')));
    return c.text(await readMetrics(), 200, { 'Content-Type': metrics.registry.contentType });
  });
}

function refuseUnlessAllowed(access: ReturnType<Context['mayReadMetrics']>): void {
  switch (access) {
    case 'allowed':
      return;
    case 'no-key':
      throw new RequestRefused(
        401,
        'invalid_api_key',
        'Send PAWL_METRICS_KEY, or an admin key, as `Authorization: Bearer <key>`.',
      );
    case 'insufficient': {
      const message = 'The metrics are not readable with this key. Send PAWL_METRICS_KEY, or an admin key.';
      throw new RequestRefused(403, 'insufficient_scope', message);
    }
  }
}
