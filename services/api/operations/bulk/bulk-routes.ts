import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import { findBulk, type Bulk as StoredBulk } from '#core/checkpoint/bulk/bulk.ts';
import { createBulk, MAX_BULK_TURNS } from '#core/checkpoint/bulk/create-bulk.ts';
import { countMatchingTurns } from '#core/checkpoint/search/find-turns.ts';
import { matchingTurns } from '#core/checkpoint/search/turn-filter.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { RequestRefused } from '#core/failure.ts';
import { isId, newId } from '#core/id.ts';
import { iso } from '#core/turn/resource/iso.ts';
import type { Made } from '../../../start/made.ts';
import type { ApiContext } from '../../context.ts';
import { withIdempotencyKey } from '../../http/idempotency.ts';
import { type ApiEnv, json, makeRouter } from '../../http/router.ts';
import { ofBody, ofIdempotencyKey, refusals } from '../../schemas/errors/refusals.ts';
import { idempotencyKey, locationHeader, replayedHeader } from '../../schemas/fields/headers.ts';
import { BulkId } from '../../schemas/fields/id.ts';
import { storedFilter } from '../../turns/schemas/turn-filter.ts';
import { Bulk, BulkCount, BulkRequest } from './bulk-request.ts';

const create = createRoute({
  method: 'post',
  path: '/v1/bulk',
  operationId: 'createBulk',
  tags: ['Turns'],
  summary: 'Cancel, retry or delete all turns that match a filter',
  description:
    'It means the turns that match when it is asked, each once: workers treat them one by one, as the call for that turn alone ' +
    'would. What that would refuse counts as failed. A filter may match a million turns.',
  parameters: [idempotencyKey],
  request: { body: { required: true, content: json(BulkRequest) } },
  responses: {
    200: { description: 'With `dry_run`: how many turns match.', content: json(BulkCount) },
    202: {
      description: 'Recorded: workers do it, whatever happens now.',
      headers: z.object({ ...locationHeader, ...replayedHeader }),
      content: json(Bulk),
    },
    ...refusals(...ofBody, ...ofIdempotencyKey, 'filter_required'),
  },
});

const readBulk = createRoute({
  method: 'get',
  path: '/v1/bulk/{id}',
  operationId: 'readBulk',
  tags: ['Turns'],
  summary: 'Read how far a bulk is',
  request: { params: z.object({ id: BulkId }) },
  responses: {
    200: { description: 'The bulk as it is now.', content: json(Bulk) },
    ...refusals('bulk_not_found'),
  },
});

/** `POST /v1/bulk` and `GET /v1/bulk/:id`. */
export function bulkRoutes(context: ApiContext) {
  return makeRouter().openapi(create, createOne(context)).openapi(readBulk, readOne(context));
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

function readOne({ db }: ApiContext): RouteHandler<typeof readBulk, ApiEnv> {
  return async (c) => c.json(presentBulk(await findOwnBulk(db, c.get('project'), c.req.valid('param').id)), 200);
}

/** The project's own bulk, or the same 404 for all others. */
async function findOwnBulk(db: Db, project: string, id: string): Promise<StoredBulk> {
  const bulk = isId('bulk', id) ? await findBulk(db, project, id) : undefined;
  if (bulk) return bulk;
  throw new RequestRefused(404, 'bulk_not_found', 'There is no bulk of this id. Check the id and the key.', 'id');
}

function presentBulk({ id, action, filter, matched, done, failed, errors, createdAt, completedAt }: StoredBulk) {
  return {
    ...{ id, object: 'bulk' as const, action, filter },
    status: completedAt === null ? ('in_progress' as const) : ('completed' as const),
    ...{ matched, done, failed, left: matched - done - failed, errors },
    ...{ created_at: iso(createdAt), completed_at: iso(completedAt) },
  };
}
