import { type RouteHandler, z } from '@hono/zod-openapi';
import { deleteTurn } from '#core/checkpoint/deletion/delete-turn.ts';
import { cancelTurn } from '#core/checkpoint/turns/cancel.ts';
import { retryTurn } from '#core/checkpoint/turns/retry.ts';
import { RequestRefused } from '#core/failure.ts';
import { presentTurn } from '#core/turn/resource/turn.ts';
import { publishChanges } from '../../process/publish-changes.ts';
import type { ApiContext } from '../context.ts';
import { findOwnTurn, turnNotFound } from '../http/find-own.ts';
import { setPollAfter } from '../http/poll-after.ts';
import { type ApiEnv, jsonAnswer, makeRouter, routesOf } from '../http/router.ts';
import { refused } from '../schemas/errors/error-codes.ts';
import { ofAnyBody } from '../schemas/errors/refusals.ts';
import { pollAfterHeader } from '../schemas/fields/headers.ts';
import { TurnId } from '../schemas/fields/id.ts';
import { Turn } from './schemas/turn.ts';

const params = z.object({ id: TurnId });

const route = routesOf('Turns');

const cancel = route('post', '/v1/turns/{id}/cancel', 'cancelTurn', {
  summary: 'Cancel a turn at any step',
  description:
    'A running request to the model or a running call is stopped within a second. Repeating the ' +
    'request has no effect.',
  request: { params },
  answers: { 200: jsonAnswer('The cancelled turn.', Turn) },
  refusals: [...ofAnyBody, 'turn_not_found', 'turn_ended'],
});

const retry = route('post', '/v1/turns/{id}/retry', 'retryTurn', {
  summary: 'Retry a failed turn from its last checkpoint',
  description: 'The committed rounds stay, and the numbers of events continue.',
  request: { params },
  answers: { 202: jsonAnswer('The turn, which continues.', Turn, pollAfterHeader) },
  refusals: [...ofAnyBody, 'turn_not_found', 'turn_not_failed', 'turn_forked'],
});

const remove = route('delete', '/v1/turns/{id}', 'deleteTurn', {
  summary: 'Delete a turn and erase its content',
  description:
    'Deletes the input, rounds, calls, events, deliveries and blobs of the turn at once. Requests of ' +
    'later turns no longer include it. Content that a fork depends on is deleted with the last fork. ' +
    'The conversation stays. If a turn created the conversation, its configuration is deleted with ' +
    'the last turn, except for the model. While the turn is active: 409.',
  request: { params },
  answers: { 204: { description: 'Deleted.' } },
  refusals: ['quota_exceeded', 'turn_not_found', 'turn_active'],
});

/** Serves `POST /v1/turns/:id/cancel` and `/retry`, and `DELETE /v1/turns/:id`. */
export function turnActionRoutes(context: ApiContext) {
  return makeRouter()
    .openapi(cancel, async (c) => {
      const { id } = await findOwnTurn(context.db, c.get('project'), c.req.valid('param').id);
      const cancelled = await context.db.transaction().execute((trx) => cancelTurn(trx, c.get('project'), id));
      if (!cancelled) throw turnNotFound();
      if (cancelled.status !== 'cancelled') {
        throw new RequestRefused(409, 'turn_ended', `The turn is ${cancelled.status} already and cannot be cancelled.`);
      }
      await publishChanges(context, { wakeups: cancelled.wakeups, ended: cancelled.wasActive ? [id] : [] });
      return c.json(presentTurn(await findOwnTurn(context.db, c.get('project'), id)), 200);
    })
    .openapi(retry, retryOne(context))
    .openapi(remove, async (c) => {
      const { id } = await findOwnTurn(context.db, c.get('project'), c.req.valid('param').id);
      const outcome = await context.db.transaction().execute((trx) => deleteTurn(trx, c.get('project'), id));
      if (outcome === 'missing') throw turnNotFound();
      if (outcome === 'deleted') return c.body(null, 204);
      throw refused('turn_active');
    });
}

function retryOne(context: ApiContext): RouteHandler<typeof retry, ApiEnv> {
  return async (c) => {
    const { id } = await findOwnTurn(context.db, c.get('project'), c.req.valid('param').id);
    const retried = await context.db
      .transaction()
      .execute((trx) =>
        retryTurn(trx, { project: c.get('project'), turnId: id, needsSlot: context.admission.isNeeded() }),
      );
    if (retried.kind === 'missing') throw turnNotFound();
    if (retried.kind === 'not-failed') throw refused('turn_not_failed');
    if (retried.kind === 'forked') throw refused('turn_forked');
    await publishChanges(context, { wakeups: retried.wakeup ? [retried.wakeup] : [], changed: [id] });
    const turn = await findOwnTurn(context.db, c.get('project'), id);
    setPollAfter(c, turn);
    return c.json(presentTurn(turn), 202);
  };
}
