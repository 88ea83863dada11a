import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import { hideTurn } from '#core/checkpoint/deletion/hide.ts';
import { cancelTurn } from '#core/checkpoint/turns/cancel.ts';
import { turnIdOf } from '#core/turn/responses/item-id.ts';
import { presentResponse } from '#core/turn/responses/present.ts';
import { publishChanges } from '../../../process/publish-changes.ts';
import type { ApiContext } from '../../context.ts';
import { RESPONSE_BASES, type ResponseBase } from '../../http/response-base.ts';
import { type ApiEnv, json, makeRouter } from '../../http/router.ts';
import { ofAnyBody } from '../../schemas/errors/refusals.ts';
import { findOwnResponse, responseNotFound } from './find-response.ts';
import { operationAt } from './schemas/operation-at.ts';
import { DeletedResponse, ResponseId, ResponseObject } from './schemas/response-object.ts';
import { openaiHeaders, responseRefusals } from './schemas/response-refusals.ts';

const params = z.object({ id: ResponseId });

const cancelAt = (base: ResponseBase) =>
  createRoute({
    method: 'post',
    path: `${base}/responses/{id}/cancel`,
    ...operationAt(base, 'cancelResponse', 'Cancel a response, whatever it is at'),
    description: 'A response that has ended stays as it is, and is answered as it is.',
    request: { params },
    responses: {
      200: {
        description: 'The response as it is now.',
        headers: z.object(openaiHeaders),
        content: json(ResponseObject),
      },
      ...responseRefusals(...ofAnyBody, 'response_not_found'),
    },
  });

const deleteAt = (base: ResponseBase) =>
  createRoute({
    method: 'delete',
    path: `${base}/responses/{id}`,
    ...operationAt(base, 'deleteResponse', 'Delete a response'),
    description: 'One that is active is cancelled first. What stands on it keeps its history.',
    request: { params },
    responses: {
      200: { description: 'It is gone.', headers: z.object(openaiHeaders), content: json(DeletedResponse) },
      ...responseRefusals('quota_exceeded', 'response_not_found'),
    },
  });

/** `POST …/responses/:id/cancel` and `DELETE …/responses/:id`, under both bases (contract-responses R28, R29). */
export function responseActionRoutes(context: ApiContext) {
  const router = makeRouter();
  for (const base of RESPONSE_BASES) {
    router.openapi(cancelAt(base), cancelOne(context)).openapi(deleteAt(base), deleteOne(context));
  }
  return router;
}

function cancelOne(context: ApiContext): RouteHandler<ReturnType<typeof cancelAt>, ApiEnv> {
  return async (c) => {
    const [project, { id }] = [c.get('project'), c.req.valid('param')];
    const turn = await findOwnResponse(context.db, project, id);
    const cancelled = await context.db.transaction().execute((trx) => cancelTurn(trx, project, turn.id));
    if (!cancelled) throw responseNotFound();
    if (cancelled.status === 'cancelled') {
      await publishChanges(context, { wakeups: cancelled.wakeups, ended: cancelled.wasActive ? [turn.id] : [] });
    }
    const now = await findOwnResponse(context.db, project, id);
    return c.json(presentResponse(context.stateSeals.sealRounds(now)), 200);
  };
}

function deleteOne(context: ApiContext): RouteHandler<ReturnType<typeof deleteAt>, ApiEnv> {
  return async (c) => {
    const [project, { id }] = [c.get('project'), c.req.valid('param')];
    const turnId = turnIdOf(id);
    const hidden = turnId && (await context.db.transaction().execute((trx) => hideTurn(trx, project, turnId)));
    if (!hidden) throw responseNotFound();
    await publishChanges(context, { wakeups: hidden.wakeups, ended: hidden.wasActive ? [turnId] : [] });
    return c.json({ id, object: 'response' as const, deleted: true as const }, 200);
  };
}
