import { z } from '@hono/zod-openapi';
import { listWorkers, type SeenWorker } from '#core/checkpoint/workers.ts';
import { iso } from '#core/turn/resource/iso.ts';
import { FIRST_STEP } from '#core/turn/step.ts';
import type { ApiContext } from '../context.ts';
import { jsonAnswer, makeRouter, routesOf } from '../http/router.ts';
import { TurnId } from '../schemas/fields/id.ts';
import { Time } from '../schemas/fields/time.ts';
import { listOf, wholeList } from '../schemas/page.ts';

const Worker = z
  .object({
    id: z.string().describe('The id of the worker. A restarted worker has a new id.'),
    object: z.literal('worker'),
    started_at: Time.describe('The time when the worker started.'),
    last_seen_at: Time.describe('The time of the last heartbeat. Workers send a heartbeat every 3 s.'),
    concurrency: z.number().int().describe('The number of steps of one provider that the worker runs at once.'),
    steps: z
      .array(
        z.object({
          turn_id: TurnId,
          step: z.string().describe('The step. `r2` is round 2, and `b2` is the calls of round 2.'),
          since: Time.describe('The time when the worker began the step.'),
        }),
      )
      .describe('The steps that the worker was running at its last heartbeat. At most 200.'),
  })
  .meta({
    id: 'Worker',
    description: 'A live worker.',
    examples: [
      {
        ...{ id: 'wrk_01kagz8m4pfvbte2n5q7rys3wx', object: 'worker', concurrency: 64 },
        ...{ started_at: '2026-05-04T09:30:00.000Z', last_seen_at: '2026-05-04T10:00:00.000Z' },
        steps: [{ turn_id: 'turn_01kagz8m4pfvbte2n5q7rys3wx', step: FIRST_STEP, since: '2026-05-04T09:59:58.000Z' }],
      },
    ],
  });

const route = routesOf('Operation');

const list = route('get', '/v1/workers', 'listWorkers', {
  summary: 'List the live workers and their steps',
  description: 'Requires the scope `admin`. A killed worker disappears within 15 s.',
  answers: { 200: jsonAnswer('All workers, oldest first.', listOf(Worker)) },
  refusals: [],
});

/** Serves `GET /v1/workers`: the workers of all projects. */
export function workerRoutes({ db }: Pick<ApiContext, 'db'>) {
  return makeRouter().openapi(list, async (c) => {
    const workers = await listWorkers(db);
    return c.json(wholeList(workers.map(present)), 200);
  });
}

function present({ id, startedAt, lastSeenAt, concurrency, steps }: SeenWorker) {
  return {
    ...{ id, object: 'worker' as const, started_at: iso(startedAt), last_seen_at: iso(lastSeenAt), concurrency },
    steps: steps.map(({ turnId, step, since }) => ({ turn_id: turnId, step, since })),
  };
}
