import { type RawBuilder, sql } from 'kysely';
import { read } from '../../postgres/read-write.ts';
import type { EventType } from '../../turn/event.ts';
import type { EndpointEvent } from '../../turn/request/webhook-endpoint.ts';
import { eventId, eventType } from '../sql/deliveries.ts';
import { hasVisibleTurn } from '../sql/visible.ts';
import type { Db } from '../tables.ts';

export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

export type Delivery = {
  id: string;
  eventId: string;
  type: EventType | EndpointEvent;
  url: string;
  endpointId: string | null;
  status: DeliveryStatus;
  attempts: number;
  lastStatusCode: number | null;
  lastError: string | null;
  nextAttemptAt: string | null;
  createdAt: string;
  deliveredAt: string | null;
};

export async function findDelivery(db: Db, project: string, id: string): Promise<Delivery | undefined> {
  const [delivery] = await select(db, project, sql`deliveries.id = ${id}`);
  return delivery;
}

export type TurnDeliveries = { turnId: string; after?: string; limit: number };

/** Lists the deliveries of a turn, in the order of its events. `after` is the last id of the previous page. */
export async function listDeliveries(db: Db, project: string, page: TurnDeliveries): Promise<Delivery[]> {
  const { turnId, after, limit } = page;
  const behind = sql`(event_number, deliveries.id) > (select event_number, id from deliveries where id = ${after})`;
  return select(
    db,
    project,
    sql`deliveries.turn_id = ${turnId} ${after ? sql`and ${behind}` : sql``}
      order by event_number, deliveries.id limit ${limit}`,
  );
}

export type EndpointDeliveries = { endpointId: string; status?: DeliveryStatus; before?: string; limit: number };

/** Lists the deliveries to an endpoint, newest first. `before` is the last id of the previous page. */
export async function listEndpointDeliveries(db: Db, project: string, page: EndpointDeliveries): Promise<Delivery[]> {
  const { endpointId, status, before, limit } = page;
  return select(
    db,
    project,
    sql`endpoint_id = ${endpointId}
      ${status ? sql`and status = ${status}` : sql``}
      ${before ? sql`and deliveries.id < ${before}` : sql``}
      order by deliveries.id desc limit ${limit}`,
  );
}

async function select(db: Db, project: string, which: RawBuilder<unknown>): Promise<Delivery[]> {
  const query = sql<Delivery>`
    select deliveries.id, ${eventId} as "eventId", ${eventType} as type,
      case when status = 'pending' then coalesce(${urlOfEndpoint}, url) else url end as url,
      endpoint_id as "endpointId", status, attempts, last_status_code as "lastStatusCode", last_error as "lastError",
      next_attempt_at::text as "nextAttemptAt", deliveries.created_at::text as "createdAt", delivered_at::text as "deliveredAt"
    from deliveries left join events on events.turn_id = deliveries.turn_id and number = event_number
    where project = ${project} and ${hasVisibleTurn} and ${which}`;
  return read(db, query);
}

/**
 * The current URL of the endpoint, to which a pending delivery is sent. A past delivery shows the URL that it was
 * sent to.
 */
const urlOfEndpoint = sql`(select endpoint.url from webhook_endpoints as endpoint where endpoint.id = endpoint_id)`;

/** An attempt in the log. `body` is the beginning of the receiver's answer. */
export type LoggedAttempt = {
  attempt: number;
  at: string;
  statusCode: number | null;
  body: string | null;
  error: string | null;
  durationMs: number;
};

const MAX_ATTEMPTS_LISTED = 20;

/** Lists the last attempts of a delivery, oldest first. Their numbers start again after a redelivery. */
export async function listDeliveryAttempts(db: Db, deliveryId: string): Promise<LoggedAttempt[]> {
  const query = sql<LoggedAttempt>`
    select attempt, status_code as "statusCode", body, error, duration_ms as "durationMs", at::text as at
    from delivery_attempts where delivery_id = ${deliveryId}
    order by delivery_attempts.at desc limit ${MAX_ATTEMPTS_LISTED}`;
  const newestFirst = await read(db, query);
  return newestFirst.reverse();
}
