import { createRoute, z } from '@hono/zod-openapi';
import { countWork } from '#core/checkpoint/counts.ts';
import type { AvailabilityStatus } from '../../process/availability.ts';
import { PARTS } from '../../process/part-sentences.ts';
import type { ApiContext } from '../context.ts';
import { makeRouter } from '../http/router.ts';
import { keyedRefusals } from '../schemas/refusals.ts';

const read = createRoute({
  method: 'get',
  path: '/metrics',
  operationId: 'readMetrics',
  tags: ['Operation'],
  summary: 'Count what is under way, for Prometheus',
  responses: {
    200: { description: 'Gauges, in Prometheus’ text format.', content: { 'text/plain': { schema: z.string() } } },
    ...keyedRefusals(),
  },
});

type Context = Pick<ApiContext, 'db' | 'countJobs' | 'streamHub' | 'availability'>;

/**
 * `GET /metrics`: what is under way, in the text format of Prometheus. Needs a key where keys are set. It is answered
 * while the database is away, too.
 */
export function metricsRoutes({ db, countJobs, streamHub, availability }: Context) {
  return makeRouter().openapi(read, async (c) => {
    const standing = await availability.check();
    const lines = standing.away.has('database') ? [] : await countAll({ db, countJobs });
    const { streams } = streamHub.count();
    return c.text(
      [
        ...lines,
        ...partGauges(standing),
        ...gauge('pawl_event_streams', 'Open event streams of this process', streams),
        ...gauge('process_resident_memory_bytes', 'Resident memory of this process', process.memoryUsage.rss()),
        '',
      ].join('\n'),
      200,
    );
  });
}

async function countAll({ db, countJobs }: Pick<Context, 'db' | 'countJobs'>): Promise<string[]> {
  const [{ turns, late, deliveries }, jobs] = await Promise.all([countWork(db), countJobs().catch(() => ({}))]);
  return [
    ...gauge('pawl_turns', 'Active turns by status', { status: turns }),
    ...gauge('pawl_turns_late', 'Active turns that are due and that no worker is on', late),
    ...gauge('pawl_deliveries_pending', 'Webhook deliveries still to be made', deliveries),
    ...gauge('pawl_jobs', 'Jobs in the queue by state', { state: jobs }),
  ];
}

function partGauges({ away, unknown, workers }: AvailabilityStatus): string[] {
  const known = PARTS.filter((part) => !unknown.has(part));
  const up = Object.fromEntries(known.map((part) => [part, away.has(part) ? 0 : 1]));
  return [
    ...gauge('pawl_part_up', 'Whether a part that Pawl leans on is there (1) or away (0)', { part: up }),
    ...(workers === null ? [] : gauge('pawl_workers', 'Workers that are alive', workers)),
  ];
}

function gauge(name: string, help: string, value: number | Record<string, Record<string, number>>): string[] {
  const head = [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`];
  if (typeof value === 'number') return [...head, `${name} ${value}`];
  const samples = Object.entries(value).flatMap(([label, counts]) =>
    Object.entries(counts).map(([key, count]) => `${name}{${label}="${key}"} ${count}`),
  );
  return [...head, ...samples];
}
