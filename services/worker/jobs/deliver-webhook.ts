import { loadTurn } from '#core/checkpoint/load-turn.ts';
import { persist } from '#core/checkpoint/persist.ts';
import { saveDelivery } from '#core/checkpoint/save-delivery.ts';
import { type OwedDelivery, takeDelivery } from '#core/checkpoint/take-delivery.ts';
import { turnAsItEnded } from '#core/turn/present-event.ts';
import { iso, presentTurn } from '#core/turn/present-turn.ts';
import type { Ring } from '#core/turn/ring.ts';
import { nextAttemptDelayMs } from '#core/webhook/next-attempt-delay.ts';
import { postWebhook, type WebhookEvent } from '#core/webhook/post-webhook.ts';
import type { WorkerContext } from '../context.ts';

/** Makes one attempt at a delivery. The same event id goes out however often, so that receivers can tell. */
export async function deliverWebhook({ deliveryId }: { deliveryId: string }, context: WorkerContext): Promise<Ring[]> {
  const delivery = await takeDelivery(context.db, deliveryId);
  if (!delivery) return [];

  const secrets = await context.secretsOf(delivery.project);
  const verdict = await postWebhook(context.gate, {
    url: delivery.url,
    secrets,
    event: await eventOf(delivery, context),
  });
  const delayMs = verdict.kind === 'retry' ? nextAttemptDelayMs(delivery.attempts + 1) : null;
  const status = verdict.kind === 'delivered' ? 'delivered' : delayMs === null ? 'failed' : 'pending';
  const error = verdict.kind === 'delivered' ? null : verdict.error;
  const attempt = {
    id: delivery.id,
    attempts: delivery.attempts,
    statusCode: verdict.statusCode,
    retryInMs: delayMs,
    status,
    error,
  } as const;
  const ring = await persist(() => saveDelivery(context.db, attempt));

  const log = context.log.child({ turn_id: delivery.turnId, delivery_id: delivery.id, attempt: delivery.attempts + 1 });
  log.info(`webhook ${status === 'pending' ? `again in ${delayMs} ms` : status}: ${delivery.event.type}`);
  return ring ? [ring] : [];
}

async function eventOf({ turnId, withTurn, event }: OwedDelivery, { db }: WorkerContext): Promise<WebhookEvent> {
  const turn = withTurn ? await loadTurn(db, turnId) : undefined;
  const data = { id: turnId, ...(turn ? { turn: presentTurn(turnAsItEnded(turn, event)) } : {}) };
  return { id: event.id, object: 'event', type: event.type, timestamp: iso(event.createdAt), data };
}
