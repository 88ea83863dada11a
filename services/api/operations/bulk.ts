import { type RouteHandler, z } from '@hono/zod-openapi';
import { BULK_ACTIONS, findBulk, type Bulk as StoredBulk } from '#core/checkpoint/bulk/bulk.ts';
import { createBulk, MAX_BULK_TURNS } from '#core/checkpoint/bulk/create-bulk.ts';
import { countMatchingTurns } from '#core/checkpoint/search/find-turns.ts';
import { matchingTurns } from '#core/checkpoint/search/turn-filter.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { RequestRefused } from '#core/failure.ts';
import { isId, newId } from '#core/id.ts';
import { iso } from '#core/turn/resource/iso.ts';
import type { Created } from '../../start/creation.ts';
import type { ApiContext } from '../context.ts';
import { withIdempotencyKey } from '../http/idempotency.ts';
import { type ApiEnv, json, jsonAnswer, makeRouter, routesOf } from '../http/router.ts';
import { refused } from '../schemas/errors/error-codes.ts';
import { ofBody, ofIdempotencyKey } from '../schemas/errors/refusals.ts';
import { createdHeaders, idempotencyKey } from '../schemas/fields/headers.ts';
import { BulkId, TurnId } from '../schemas/fields/id.ts';
import { Time } from '../schemas/fields/time.ts';
import { storedFilter, TurnFilter } from '../turns/schemas/turn-filter.ts';

const action = z.enum(BULK_ACTIONS);
const matched = z.int().min(0).describe('The number of turns that match.');

/** An action, and the turns for it. */
const BulkRequest = z
  .strictObject({
    action: action.describe('The action to apply to each turn. It works as in a request for that turn alone.'),
    filter: TurnFilter,
    dry_run: z
      .boolean()
      .optional()
      .describe('Whether to only count the matching turns. Pawl then changes and stores no data.'),
  })
  .meta({
    id: 'BulkRequest',
    description: 'The action, and the filter for the turns.',
    examples: [{ action: 'retry', filter: { status: 'failed', error_code: 'provider_overloaded' } }],
  });

/** A bulk as callers see it. */
const Bulk = z
  .object({
    id: BulkId,
    object: z.literal('bulk'),
    action: action.describe('The action that is applied to each turn.'),
    filter: z.record(z.string(), z.unknown()).describe('The filter of the request.'),
    status: z.enum(['in_progress', 'completed']).describe('Whether workers still have turns of the bulk to process.'),
    matched: matched.describe(
      'The number of turns that matched at the time of the request. The bulk covers only these turns.',
    ),
    done: z.int().min(0).describe('The number of turns for which the action succeeded.'),
    failed: z
      .int()
      .min(0)
      .describe('The number of turns for which the action was refused, or which no longer existed.'),
    left: z.int().min(0).describe('The number of turns left to process.'),
    errors: z
      .array(
        z.object({
          turn_id: TurnId,
          code: z.string().describe('The error code that a request for this turn alone would have had.'),
        }),
      )
      .describe('The first 20 turns that failed.'),
    created_at: Time,
    completed_at: Time.nullable().describe('The time when the last turn was processed. Null before that.'),
  })
  .meta({
    id: 'Bulk',
    description: 'A bulk: one action on many turns.',
    examples: [
      {
        ...{ id: 'bulk_01kagz8m4pfvbte2n5q7rys3wx', object: 'bulk', action: 'retry', filter: { status: 'failed' } },
        ...{ status: 'in_progress', matched: 240, done: 80, failed: 1, left: 159 },
        errors: [{ turn_id: 'turn_01kagz8m4pfvbte2n5q7rys3wx', code: 'turn_not_failed' }],
        ...{ created_at: '2026-11-20T10:00:00.082Z', completed_at: null },
      },
    ],
  });

/** The turns that a bulk would select. */
const BulkCount = z.object({ object: z.literal('bulk'), dry_run: z.literal(true), matched }).meta({
  id: 'BulkCount',
  description: 'The number of turns that a bulk would cover.',
  examples: [{ object: 'bulk', dry_run: true, matched: 240 }],
});

const route = routesOf('Turns');

const create = route('post', '/v1/bulk', 'createBulk', {
  summary: 'Cancel, retry or delete all turns that match a filter',
  description:
    'A bulk covers the turns that match at the time of the request. Workers process each turn once, as a request for that turn alone would. If that request would be refused, the turn counts as failed. A filter may match up to a million turns.',
  parameters: [idempotencyKey],
  request: { body: { required: true, content: json(BulkRequest) } },
  answers: {
    200: jsonAnswer('With `dry_run`: the number of turns that match.', BulkCount),
    202: jsonAnswer('The bulk was stored. Workers process it even if a process dies.', Bulk, createdHeaders),
  },
  refusals: [...ofBody, ...ofIdempotencyKey, 'filter_required'],
});

const readBulk = route('get', '/v1/bulk/{id}', 'readBulk', {
  summary: 'Read the progress of a bulk',
  request: { params: z.object({ id: BulkId }) },
  answers: { 200: jsonAnswer('The bulk as it is now.', Bulk) },
  refusals: ['bulk_not_found'],
});

/** Serves `POST /v1/bulk` and `GET /v1/bulk/:id`. */
export function bulkRoutes(context: ApiContext) {
  return makeRouter()
    .openapi(create, createOne(context))
    .openapi(readBulk, async (c) =>
      c.json(presentBulk(await findOwnBulk(context.db, c.get('project'), c.req.valid('param').id)), 200),
    );
}

function createOne(context: ApiContext): RouteHandler<typeof create, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const { action, filter, dry_run } = c.req.valid('json');
    if (isEmpty(filter)) throw new RequestRefused(400, 'filter_required', EMPTY, 'filter');
    const stored = storedFilter(filter);
    if (dry_run) {
      const most = MAX_BULK_TURNS + 1;
      const matched = await countMatchingTurns(context.db, project, { ...stored, most });
      if (matched === most) throw tooMany();
      return c.json({ object: 'bulk' as const, dry_run: true as const, matched }, 200);
    }
    const { filter: asAsked } = await c.req.json<{ filter: Record<string, unknown> }>();
    const creation = async (trx: Parameters<typeof createBulk>[0]): Promise<Created> => {
      const id = newId('bulk');
      const matching = await matchingTurns(trx, project, stored);
      if ((await createBulk(trx, { id, project, action, filter: asAsked, matching })) > MAX_BULK_TURNS) throw tooMany();
      return { status: 202, resourceId: id };
    };
    const { resourceId } = await withIdempotencyKey(c, context, { inTransaction: creation });
    c.header('Location', `${context.publicUrl}/v1/bulk/${resourceId}`);
    return c.json(presentBulk(await findOwnBulk(context.db, project, resourceId)), 202);
  };
}

const EMPTY = 'The filter is empty and would match every turn. Give a condition.';

function isEmpty({ metadata = {}, ...filter }: z.output<typeof BulkRequest>['filter']): boolean {
  return Object.keys(metadata).length === 0 && Object.values(filter).every((value) => value === undefined);
}

function tooMany(): RequestRefused {
  const message = `The filter matches more than ${MAX_BULK_TURNS} turns. Narrow it, for example by created_before.`;
  return new RequestRefused(400, 'invalid_value', message, 'filter');
}

/** Finds a bulk of the project. All other ids are the same 404. */
async function findOwnBulk(db: Db, project: string, id: string): Promise<StoredBulk> {
  const bulk = isId('bulk', id) ? await findBulk(db, project, id) : undefined;
  if (bulk) return bulk;
  throw refused('bulk_not_found');
}

function presentBulk({ id, action, filter, matched, done, failed, errors, createdAt, completedAt }: StoredBulk) {
  return {
    ...{ id, object: 'bulk' as const, action, filter },
    status: completedAt === null ? ('in_progress' as const) : ('completed' as const),
    ...{ matched, done, failed, left: matched - done - failed, errors },
    ...{ created_at: iso(createdAt), completed_at: iso(completedAt) },
  };
}
