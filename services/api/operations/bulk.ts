import { type RouteHandler, z } from '@hono/zod-openapi';
import { BULK_ACTIONS, findBulk, type Bulk as StoredBulk } from '#core/checkpoint/bulk/bulk.ts';
import { createBulk, MAX_BULK_TURNS } from '#core/checkpoint/bulk/create-bulk.ts';
import { countMatchingTurns } from '#core/checkpoint/search/find-turns.ts';
import { matchingTurns } from '#core/checkpoint/search/turn-filter.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { RequestRefused } from '#core/failure.ts';
import { isId, newId } from '#core/id.ts';
import { iso } from '#core/turn/resource/iso.ts';
import type { Made } from '../../start/made.ts';
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
const matched = z.int().min(0).describe('How many turns match.');

/** An action, and the turns for it. */
const BulkRequest = z
  .strictObject({
    action: action.describe('What is done with each turn, as by the call for it alone.'),
    filter: TurnFilter,
    dry_run: z.boolean().optional().describe('Only count the turns that match: nothing is done, and nothing kept.'),
  })
  .meta({
    id: 'BulkRequest',
    description: 'What is to be done, and with which turns.',
    examples: [{ action: 'retry', filter: { status: 'failed', error_code: 'provider_overloaded' } }],
  });

/** A bulk as callers see it. */
const Bulk = z
  .object({
    id: BulkId,
    object: z.literal('bulk'),
    action: action.describe('What is done with each turn.'),
    filter: z.record(z.string(), z.unknown()).describe('Which turns are meant, as it was asked.'),
    status: z.enum(['in_progress', 'completed']).describe('Whether workers still have turns of it to treat.'),
    matched: matched.describe('How many turns matched when it was asked: these and no others are meant.'),
    done: z.int().min(0).describe('With how many it was done.'),
    failed: z.int().min(0).describe('How many the call for one turn would have refused, or found no more.'),
    left: z.int().min(0).describe('How many are left.'),
    errors: z
      .array(
        z.object({
          turn_id: TurnId,
          code: z.string().describe('The code that the call for this turn alone would have been refused with.'),
        }),
      )
      .describe('The first 20 of those that failed.'),
    created_at: Time,
    completed_at: Time.nullable().describe('When the last of its turns was treated; null before.'),
  })
  .meta({
    id: 'Bulk',
    description: 'One action on many turns.',
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
  description: 'How many turns a bulk would mean.',
  examples: [{ object: 'bulk', dry_run: true, matched: 240 }],
});

const route = routesOf('Turns');

const create = route('post', '/v1/bulk', 'createBulk', {
  summary: 'Cancel, retry or delete all turns that match a filter',
  description:
    'It means the turns that match when it is asked, each once: workers treat them one by one, as the call for that turn alone ' +
    'would. What that would refuse counts as failed. A filter may match a million turns.',
  parameters: [idempotencyKey],
  request: { body: { required: true, content: json(BulkRequest) } },
  answers: {
    200: jsonAnswer('With `dry_run`: how many turns match.', BulkCount),
    202: jsonAnswer('Recorded: workers do it, whatever happens now.', Bulk, createdHeaders),
  },
  refusals: [...ofBody, ...ofIdempotencyKey, 'filter_required'],
});

const readBulk = route('get', '/v1/bulk/{id}', 'readBulk', {
  summary: 'Read how far a bulk is',
  request: { params: z.object({ id: BulkId }) },
  answers: { 200: jsonAnswer('The bulk as it is now.', Bulk) },
  refusals: ['bulk_not_found'],
});

/** `POST /v1/bulk` and `GET /v1/bulk/:id`. */
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
    const making = async (trx: Parameters<typeof createBulk>[0]): Promise<Made> => {
      const id = newId('bulk');
      const matching = await matchingTurns(trx, project, stored);
      if ((await createBulk(trx, { id, project, action, filter: asAsked, matching })) > MAX_BULK_TURNS) throw tooMany();
      return { status: 202, resourceId: id };
    };
    const { resourceId } = await withIdempotencyKey(c, context, { together: making });
    c.header('Location', `${context.publicUrl}/v1/bulk/${resourceId}`);
    return c.json(presentBulk(await findOwnBulk(context.db, project, resourceId)), 202);
  };
}

const EMPTY = 'The filter is empty, which would mean every turn. Give a condition.';

function isEmpty({ metadata = {}, ...filter }: z.output<typeof BulkRequest>['filter']): boolean {
  return Object.keys(metadata).length === 0 && Object.values(filter).every((value) => value === undefined);
}

function tooMany(): RequestRefused {
  const message = `The filter matches more than ${MAX_BULK_TURNS} turns. Narrow it, for example by created_before.`;
  return new RequestRefused(400, 'invalid_value', message, 'filter');
}

/** The project's own bulk, or the same 404 for all others. */
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
