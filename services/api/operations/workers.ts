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
    id: z.string().describe('Its id; a worker that starts again is another one.'),
    object: z.literal('worker'),
    started_at: Time.describe('When it started.'),
    last_seen_at: Time.describe('When it last said that it is alive, which it does every 3 s.'),
    concurrency: z.number().int().describe('How many steps of one provider’s turns it runs at once.'),
    steps: z
      .array(
        z.object({
          turn_id: TurnId,
          step: z.string().describe('`r2` is round 2, `b2` the calls of that round.'),
          since: Time.describe('Since when it is on the step.'),
        }),
      )
      .describe('The steps it was on when it was last seen, 200 at most.'),
  })
  .meta({
    id: 'Worker',
    description: 'A worker that is alive.',
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
  summary: 'List the workers that are alive, and the steps they are on',
  description: 'For admins. One that was killed is gone within 15 s.',
  answers: { 200: jsonAnswer('All workers, the oldest first.', listOf(Worker)) },
  refusals: [],
});

/** `GET /v1/workers`: the workers of all projects. */
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
