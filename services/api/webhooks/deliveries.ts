import { z } from '@hono/zod-openapi';
import type { Db } from '#core/checkpoint/tables.ts';
import {
  findDelivery,
  type LoggedAttempt,
  listDeliveries,
  listDeliveryAttempts,
  listEndpointDeliveries,
  type Delivery as StoredDelivery,
} from '#core/checkpoint/webhooks/list-deliveries.ts';
import { redeliver } from '#core/checkpoint/webhooks/redeliver.ts';
import { isId } from '#core/id.ts';
import { iso } from '#core/turn/resource/iso.ts';
import { DELIVERIES_DUE } from '#core/turn/wakeup.ts';
import { publishChanges } from '../../process/publish-changes.ts';
import type { ApiContext } from '../context.ts';
import { findOwnTurn, findOwnWebhookEndpoint } from '../http/find-own.ts';
import { jsonAnswer, makeRouter, routesOf } from '../http/router.ts';
import { refused } from '../schemas/errors/error-codes.ts';
import { ofAnyBody } from '../schemas/errors/refusals.ts';
import { DeliveryId, TurnId, WebhookEndpointId } from '../schemas/fields/id.ts';
import { queryInteger } from '../schemas/fields/query-number.ts';
import { listOf, PageQuery, pageOf, readCursor } from '../schemas/page.ts';
import { Delivery, DeliveryStatus, LoggedDelivery } from './schemas/delivery.ts';

const params = z.object({ id: DeliveryId });

const route = routesOf('Deliveries');

const ofTurn = route('get', '/v1/turns/{id}/deliveries', 'listDeliveries', {
  summary: 'List the webhook deliveries of a turn, oldest first',
  request: {
    params: z.object({ id: TurnId }),
    query: PageQuery.extend({
      limit: queryInteger({ min: 1, max: 1000 }).default(1000).describe('The maximum number of deliveries on a page.'),
    }),
  },
  answers: { 200: jsonAnswer('A page.', listOf(Delivery)) },
  refusals: ['turn_not_found', 'invalid_value'],
});

const ofEndpoint = route('get', '/v1/webhook_endpoints/{id}/deliveries', 'listEndpointDeliveries', {
  summary: 'List the deliveries to a webhook endpoint, newest first',
  request: {
    params: z.object({ id: WebhookEndpointId }),
    query: PageQuery.extend({ status: DeliveryStatus.optional().describe('Only deliveries with this status.') }),
  },
  answers: { 200: jsonAnswer('A page.', listOf(Delivery)) },
  refusals: ['webhook_endpoint_not_found', 'invalid_value'],
});

const read = route('get', '/v1/deliveries/{id}', 'readDelivery', {
  summary: 'Read a delivery with the log of its attempts',
  request: { params },
  answers: { 200: jsonAnswer('The delivery.', LoggedDelivery) },
  refusals: ['delivery_not_found'],
});

const again = route('post', '/v1/deliveries/{id}/redeliver', 'redeliver', {
  summary: 'Deliver an event again, with the same event id',
  request: { params },
  answers: { 202: jsonAnswer('The delivery is due again.', Delivery) },
  refusals: [...ofAnyBody, 'delivery_not_found', 'webhook_endpoint_disabled'],
});

/** Serves webhook deliveries: lists, attempts, and repeated deliveries. */
export function deliveryRoutes(context: ApiContext) {
  return makeRouter()
    .openapi(ofTurn, async (c) => {
      const { id: turnId } = await findOwnTurn(context.db, c.get('project'), c.req.valid('param').id);
      const { cursor, limit } = c.req.valid('query');
      const { before: after } = readCursor('dlv', cursor);
      const page = { turnId, ...(after && { after }), limit: limit + 1 };
      return c.json(pageOf(await listDeliveries(context.db, c.get('project'), page), limit, present), 200);
    })
    .openapi(ofEndpoint, async (c) => {
      const { id: endpointId } = await findOwnWebhookEndpoint(context.db, c.get('project'), c.req.valid('param').id);
      const { cursor, limit, status } = c.req.valid('query');
      const page = { endpointId, ...(status && { status }), ...readCursor('dlv', cursor), limit: limit + 1 };
      return c.json(pageOf(await listEndpointDeliveries(context.db, c.get('project'), page), limit, present), 200);
    })
    .openapi(read, async (c) => {
      const delivery = await findOwn(context.db, c.get('project'), c.req.valid('param').id);
      const log = (await listDeliveryAttempts(context.db, delivery.id)).map(presentAttempt);
      return c.json({ ...present(delivery), webhook_endpoint_id: delivery.endpointId, log }, 200);
    })
    .openapi(again, async (c) => {
      const { id } = await findOwn(context.db, c.get('project'), c.req.valid('param').id);
      if (!(await redeliver(context.db, c.get('project'), id))) {
        // The delivery may have been deleted with its conversation in the meantime.
        await findOwn(context.db, c.get('project'), id);
        throw refused('webhook_endpoint_disabled');
      }
      await publishChanges(context, { wakeups: [DELIVERIES_DUE] });
      return c.json(present(await findOwn(context.db, c.get('project'), id)), 202);
    });
}

async function findOwn(db: Db, project: string, id: string): Promise<StoredDelivery> {
  const delivery = isId('dlv', id) ? await findDelivery(db, project, id) : undefined;
  if (delivery) return delivery;
  throw refused('delivery_not_found');
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

function presentAttempt({ attempt, at, statusCode, body, error, durationMs }: LoggedAttempt) {
  return { attempt, at: iso(at), status_code: statusCode, body, error, duration_ms: durationMs };
}
