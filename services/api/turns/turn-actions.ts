import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import { deleteTurn } from '#core/checkpoint/deletion/delete-turn.ts';
import { cancelTurn } from '#core/checkpoint/turns/cancel.ts';
import { retryTurn } from '#core/checkpoint/turns/retry.ts';
import { RequestRefused } from '#core/failure.ts';
import { presentTurn } from '#core/turn/resource/turn.ts';
import { publishChanges } from '../../process/publish-changes.ts';
import type { ApiContext } from '../context.ts';
import { findOwnTurn, turnNotFound } from '../http/find-own.ts';
import { setPollAfter } from '../http/poll-after.ts';
import { type ApiEnv, json, makeRouter } from '../http/router.ts';
import { ofAnyBody, refusals } from '../schemas/errors/refusals.ts';
import { pollAfterHeader } from '../schemas/fields/headers.ts';
import { TurnId } from '../schemas/fields/id.ts';
import { Turn } from './schemas/turn.ts';

const params = z.object({ id: TurnId });

const cancel = createRoute({
  method: 'post',
  path: '/v1/turns/{id}/cancel',
  operationId: 'cancelTurn',
  tags: ['Turns'],
  summary: 'Cancel a turn, whatever its step',
  description:
    'A running request to the model, or a running call, is stopped within a second. Cancelling again is fine.',
  request: { params },
  responses: {
    200: { description: 'The cancelled turn.', content: json(Turn) },
    ...refusals(...ofAnyBody, 'turn_not_found', 'turn_ended'),
  },
});

const retry = createRoute({
  method: 'post',
  path: '/v1/turns/{id}/retry',
  operationId: 'retryTurn',
  tags: ['Turns'],
  summary: 'Let a failed turn go on from its last checkpoint',
  description: 'Its committed rounds stay; its events are numbered on.',
  request: { params },
  responses: {
    202: { description: 'The turn goes on.', headers: z.object(pollAfterHeader), content: json(Turn) },
    ...refusals(...ofAnyBody, 'turn_not_found', 'turn_not_failed', 'turn_forked'),
  },
});

const remove = createRoute({
  method: 'delete',
  path: '/v1/turns/{id}',
  operationId: 'deleteTurn',
  tags: ['Turns'],
  summary: 'Delete a turn and erase its content',
  description:
    'Its input, rounds, calls, events, deliveries and blobs go at once, and later turns of its conversation are sent without ' +
    'it. What a fork stands on goes with the last fork. A conversation stays; of one that a turn began, the configuration ' +
    'goes with the last turn, but for the model. While the turn is active: 409.',
  request: { params },
  responses: { 204: { description: 'Deleted.' }, ...refusals('quota_exceeded', 'turn_not_found', 'turn_active') },
});

/** `POST /v1/turns/:id/cancel` and `/retry`, and `DELETE /v1/turns/:id`. */
export function turnActionRoutes(context: ApiContext) {
  return makeRouter()
    .openapi(cancel, cancelOne(context))
    .openapi(retry, retryOne(context))
    .openapi(remove, removeOne(context));
}

function cancelOne(context: ApiContext): RouteHandler<typeof cancel, ApiEnv> {
  return async (c) => {
    const { id } = await findOwnTurn(context.db, c.get('project'), c.req.valid('param').id);
    const cancelled = await context.db.transaction().execute((trx) => cancelTurn(trx, c.get('project'), id));
    if (!cancelled) throw turnNotFound();
    if (cancelled.status !== 'cancelled') {
      throw new RequestRefused(409, 'turn_ended', `The turn is ${cancelled.status} already and cannot be cancelled.`);
    }
    await publishChanges(context, { wakeups: cancelled.wakeups, ended: cancelled.wasActive ? [id] : [] });
    return c.json(presentTurn(await findOwnTurn(context.db, c.get('project'), id)), 200);
  };
}

function retryOne(context: ApiContext): RouteHandler<typeof retry, ApiEnv> {
  return async (c) => {
    const { id } = await findOwnTurn(context.db, c.get('project'), c.req.valid('param').id);
    const retried = await context.db
      .transaction()
      .execute((trx) =>
        retryTurn(trx, { project: c.get('project'), turnId: id, needsPlace: context.admission.isNeeded() }),
      );
    if (retried.kind === 'missing') throw turnNotFound();
    if (retried.kind === 'not-failed') {
      throw new RequestRefused(409, 'turn_not_failed', 'Only a failed turn can be retried. Start a new turn instead.');
    }
    if (retried.kind === 'forked') {
      const message = 'A fork stands on this turn, so it stays as it is. Start a new turn instead.';
      throw new RequestRefused(409, 'turn_forked', message);
    }
    await publishChanges(context, { wakeups: retried.wakeup ? [retried.wakeup] : [], changed: [id] });
    const turn = await findOwnTurn(context.db, c.get('project'), id);
    setPollAfter(c, turn);
    return c.json(presentTurn(turn), 202);
  };
}

function removeOne(context: ApiContext): RouteHandler<typeof remove, ApiEnv> {
  return async (c) => {
    const { id } = await findOwnTurn(context.db, c.get('project'), c.req.valid('param').id);
    const outcome = await context.db.transaction().execute((trx) => deleteTurn(trx, c.get('project'), id));
    if (outcome === 'missing') throw turnNotFound();
    if (outcome === 'deleted') return c.body(null, 204);
    throw new RequestRefused(409, 'turn_active', 'The turn is still active. Wait for it or cancel it, then delete.');
  };
}
