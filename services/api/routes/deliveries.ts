import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import { listDeliveries, type Delivery as StoredDelivery } from '#core/checkpoint/list-deliveries.ts';
import { redeliver } from '#core/checkpoint/redeliver.ts';
import { RequestRefused } from '#core/failure.ts';
import { isId } from '#core/id.ts';
import { iso } from '#core/turn/present-turn.ts';
import { announce } from '../announce.ts';
import type { ApiEnv } from '../api-env.ts';
import type { ApiContext } from '../context.ts';
import { findOwnTurn } from '../find-own.ts';
import { json, makeRouter } from '../make-router.ts';
import { Delivery } from '../schemas/delivery.ts';
import { listOf } from '../schemas/list-of.ts';
import { refusals } from '../schemas/refusals.ts';

const params = z.object({ id: z.string() });

const list = createRoute({
  method: 'get',
  path: '/v1/turns/{id}/deliveries',
  summary: 'List the webhook deliveries of a turn',
  request: { params },
  responses: { 200: { description: 'All deliveries', content: json(listOf(Delivery)) }, ...refusals },
});

const again = createRoute({
  method: 'post',
  path: '/v1/deliveries/{id}/redeliver',
  summary: 'Deliver an event once more, with the same event id',
  request: { params },
  responses: { 202: { description: 'Owed again', content: json(Delivery) }, ...refusals },
});

/** Webhook deliveries: what was sent, and sending it again. */
export function deliveryRoutes(context: ApiContext) {
  return makeRouter().openapi(list, listOfTurn(context)).openapi(again, deliverAgain(context));
}

function listOfTurn({ db }: ApiContext): RouteHandler<typeof list, ApiEnv> {
  return async (c) => {
    const { id: turnId } = await findOwnTurn(db, c.get('project'), c.req.valid('param').id);
    const data = (await listDeliveries(db, c.get('project'), { turnId })).map(present);
    return c.json({ object: 'list' as const, data, has_more: false, next_cursor: null }, 200);
  };
}

function deliverAgain(context: ApiContext): RouteHandler<typeof again, ApiEnv> {
  return async (c) => {
    const { id } = c.req.valid('param');
    const ring = isId('dlv', id) ? await redeliver(context.db, c.get('project'), id) : null;
    const [delivery] = ring ? await listDeliveries(context.db, c.get('project'), { id }) : [];
    if (!ring || !delivery)
      throw new RequestRefused(404, 'delivery_not_found', 'There is no delivery of this id.', 'id');
    await announce(context, { rings: [ring] });
    return c.json(present(delivery), 202);
  };
}

function present(delivery: StoredDelivery) {
  return {
    id: delivery.id,
    object: 'delivery' as const,
    event_id: delivery.eventId,
    type: delivery.type,
    url: delivery.url,
    status: delivery.status,
    attempts: delivery.attempts,
    last_status_code: delivery.lastStatusCode,
    last_error: delivery.lastError,
    next_attempt_at: iso(delivery.nextAttemptAt),
    created_at: iso(delivery.createdAt),
    delivered_at: iso(delivery.deliveredAt),
  };
}
