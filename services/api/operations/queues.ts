import { type RouteHandler, z } from '@hono/zod-openapi';
import { countDueDeliveries, findRateLimits } from '#core/checkpoint/counts.ts';
import { RequestRefused } from '#core/failure.ts';
import { allQueues, providerOf } from '#core/queue/job.ts';
import { iso } from '#core/turn/resource/iso.ts';
import type { ApiContext } from '../context.ts';
import { type ApiEnv, jsonAnswer, makeRouter, routesOf } from '../http/router.ts';
import { Time } from '../schemas/fields/time.ts';
import { listOf, wholeList } from '../schemas/page.ts';

const Queue = z
  .object({
    name: z.string().describe('The name of the queue.'),
    object: z.literal('queue'),
    provider: z
      .string()
      .nullable()
      .describe('The provider of the turns in the queue. Null for a queue without a provider.'),
    waiting: z.number().int().describe('The number of jobs that wait for a worker.'),
    active: z.number().int().describe('The number of jobs that workers are running.'),
    rate_limited_until: Time.nullable().describe(
      'The time when the rate limit of its turns ends. Null if no turn waits for a rate limit.',
    ),
  })
  .meta({
    id: 'Queue',
    description: 'A queue of jobs. Each provider has its own queue.',
    examples: [
      {
        ...{ name: 'turns-openai', object: 'queue', provider: 'openai', waiting: 12, active: 64 },
        rate_limited_until: '2026-05-04T10:00:12.000Z',
      },
    ],
  });

const route = routesOf('Operation');

const list = route('get', '/v1/queues', 'listQueues', {
  summary: 'List the queues with their numbers of jobs',
  description: 'Requires the scope `admin`.',
  answers: { 200: jsonAnswer('All queues.', listOf(Queue)) },
  refusals: [],
});

/** Serves `GET /v1/queues`: the queues of all providers, of turns without a provider, and of webhooks. */
export function queueRoutes({ db, providers, countJobs }: Pick<ApiContext, 'db' | 'providers' | 'countJobs'>) {
  const listAll: RouteHandler<typeof list, ApiEnv> = async (c) => {
    const names = allQueues(providers.names);
    const [limits, deliveries, counts] = await Promise.all([
      findRateLimits(db),
      countDueDeliveries(db),
      Promise.all(names.map(count)),
    ]);
    const queues = names.map((name, index) => {
      const provider = providerOf(name, providers.names);
      const { waiting = 0, prioritized = 0, active = 0 } = counts[index] ?? {};
      const until = limits.get(provider ?? '') ?? null;
      const about = { name, object: 'queue' as const, provider, waiting: waiting + prioritized, active };
      return { ...about, rate_limited_until: iso(until) };
    });
    // Workers take webhook deliveries from their rows, without jobs.
    const own = {
      name: 'deliveries',
      object: 'queue' as const,
      provider: null,
      ...deliveries,
      rate_limited_until: null,
    };
    return c.json(wholeList([...queues, own]), 200);
  };
  const count = (name: string) => countJobs(name).catch(queueAway);
  return makeRouter().openapi(list, listAll);
}

function queueAway(): never {
  throw new RequestRefused(503, 'service_unavailable', 'The queue cannot be reached right now. Try again in a moment.');
}
