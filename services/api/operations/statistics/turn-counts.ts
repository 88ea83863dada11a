import { z } from '@hono/zod-openapi';
import { countByStatus } from '#core/checkpoint/search/count-by-status.ts';
import type { ApiContext } from '../../context.ts';
import { jsonAnswer, makeRouter, routesOf } from '../../http/router.ts';
import { exampleOf } from '../../schemas/fields/example-of.ts';
import { MetadataQuery, readMetadata } from '../../schemas/fields/metadata-query.ts';
import { TurnStatus } from '../../turns/schemas/turn.ts';
import { storedFilter, turnFilterFields } from '../../turns/schemas/turn-filter.ts';
import { TurnsByStatus } from './turns-by-status.ts';

/** The maximum number of turns of a status that are counted, or that a search reads. */
const MOST = 1_000;

const TurnCounts = z
  .object({
    object: z.literal('turn_counts'),
    counts: TurnsByStatus.describe('The numbers of matching turns, by status.'),
    at_least: z.array(z.enum(TurnStatus.options)).describe('The statuses that may have more turns than counted.'),
  })
  .meta({
    id: 'TurnCounts',
    description: 'The numbers of turns that match a filter, by status.',
    examples: [{ object: 'turn_counts', counts: exampleOf(TurnsByStatus), at_least: [] }],
  });

const { status: _, ...filterFields } = turnFilterFields;

const route = routesOf('Operation');

const read = route('get', '/v1/statistics/turns', 'countTurns', {
  summary: 'Count the turns that a list would show, by status',
  description:
    'Accepts the parameters of `GET /v1/turns`, except `status`. Counts up to 1,000 turns of each status. With `q`, `model` or `metadata`, it counts only among the 1,000 newest turns that match the other filters.',
  request: { query: z.object({ ...filterFields, metadata: MetadataQuery }) },
  answers: { 200: jsonAnswer('The counts.', TurnCounts) },
  refusals: ['invalid_value'],
});

/** Serves `GET /v1/statistics/turns`. */
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
