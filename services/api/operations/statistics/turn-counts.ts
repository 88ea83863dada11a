import { z } from '@hono/zod-openapi';
import { countByStatus } from '#core/checkpoint/search/count-by-status.ts';
import type { ApiContext } from '../../context.ts';
import { jsonAnswer, makeRouter, routesOf } from '../../http/router.ts';
import { exampleOf } from '../../schemas/fields/example-of.ts';
import { MetadataQuery, readMetadata } from '../../schemas/fields/metadata-query.ts';
import { TurnStatus } from '../../turns/schemas/turn.ts';
import { storedFilter, turnFilterFields } from '../../turns/schemas/turn-filter.ts';
import { TurnsByStatus } from './turns-by-status.ts';

/** Turns of one status that are counted at most, or that a search looks at. */
const MOST = 1_000;

const TurnCounts = z
  .object({
    object: z.literal('turn_counts'),
    counts: TurnsByStatus.describe('Turns that fit the filter, by their status.'),
    at_least: z
      .array(z.enum(TurnStatus.options))
      .describe('The statuses of which there may be more than were counted.'),
  })
  .meta({
    id: 'TurnCounts',
    description: 'How many turns fit a filter, by their status.',
    examples: [{ object: 'turn_counts', counts: exampleOf(TurnsByStatus), at_least: [] }],
  });

const { status: _, ...filterFields } = turnFilterFields;

const route = routesOf('Operation');

const read = route('get', '/v1/statistics/turns', 'countTurns', {
  summary: 'Count the turns that a list would show, by status',
  description:
    'It takes what `GET /v1/turns` takes, but for `status`. Of each status up to 1,000 are counted; where `q`, `model` or ' +
    '`metadata` are given, those among the 1,000 newest turns that fit the rest.',
  request: { query: z.object({ ...filterFields, metadata: MetadataQuery }) },
  answers: { 200: jsonAnswer('The counts.', TurnCounts) },
  refusals: ['invalid_value'],
});

/** `GET /v1/statistics/turns`. */
export function turnCountRoutes({ readAnywhere }: ApiContext) {
  return makeRouter().openapi(read, async (c) => {
    const { metadata: _, ...given } = c.req.valid('query');
    const filter = storedFilter({ ...given, ...readMetadata(c.req.queries()) });
    const { counts, atLeast } = await readAnywhere((db) =>
      countByStatus(db, c.get('project'), { ...filter, most: MOST }),
    );
    return c.json({ object: 'turn_counts' as const, counts, at_least: atLeast }, 200);
  });
}
