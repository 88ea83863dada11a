import { disableWebhookEndpoint } from '#core/checkpoint/disable-webhook-endpoint.ts';
import { loadTurn } from '#core/checkpoint/load-turn.ts';
import { persist } from '#core/checkpoint/persist.ts';
import { type DeliveryAttempt, saveDelivery } from '#core/checkpoint/save-delivery.ts';
import { type OwedDelivery, putBackDelivery, takeDelivery } from '#core/checkpoint/take-delivery.ts';
import { presentFreshRound, turnAsItEnded } from '#core/turn/present-event.ts';
import { iso, presentTurn } from '#core/turn/present-turn.ts';
import type { Ring } from '#core/turn/ring.ts';
import { nextAttemptDelayMs } from '#core/webhook/next-attempt-delay.ts';
import { postWebhook, type WebhookAnswer, type WebhookEvent } from '#core/webhook/post-webhook.ts';
import { reasonToDisable } from '#core/webhook/reason-to-disable.ts';
import type { WorkerContext } from '../context.ts';

/** How long a delivery waits, at least, whose receiver answers nothing while it has many others. */
const BUSY_MS = 5_000;

/** Makes one attempt at a delivery. The same event id goes out however often, so that receivers can tell. */
export async function deliverWebhook({ deliveryId }: { deliveryId: string }, context: WorkerContext): Promise<Ring[]> {
  const delivery = await takeDelivery(context.db, deliveryId);
  if (!delivery) return [];
  using place = await context.receivers.enter(delivery.url);
  if (!place) return putBackDelivery(context.db, delivery, Math.round(BUSY_MS * (1 + Math.random())));

  const secrets = delivery.endpoint?.secrets ?? (await context.secretsOf(delivery.project));
  const answer = await postWebhook(context.gate, {
    url: delivery.url,
    secrets,
    event: await eventOf(delivery, context),
  });
  const attempt = attemptOf(delivery, answer, context);
  const rings = await save(delivery, { attempt, answer }, context);

  const log = context.log.child({ turn_id: delivery.turnId, delivery_id: delivery.id, attempt: delivery.attempts + 1 });
  const { status, retryInMs, error } = attempt;
  const sentence = `webhook ${status === 'pending' ? `again in ${retryInMs} ms` : status}: ${delivery.event.type}`;
  if (error === null) log.info(sentence);
  else log.warn({ status_code: attempt.statusCode }, `${sentence}. ${error}`);
  return rings;
}

async function eventOf(delivery: OwedDelivery, { db }: WorkerContext): Promise<WebhookEvent> {
  const { id, type, createdAt } = delivery.event;
  const head = { id, object: 'event' as const, type, timestamp: iso(createdAt) };
  if (delivery.turnId === null) return { ...head, data: delivery.event.data };

  const { turnId, withTurn, event } = delivery;
  const isRound = type === 'round.completed';
  const turn = withTurn || isRound ? await loadTurn(db, turnId) : undefined;
  const data = {
    id: turnId,
    ...(turn && isRound && { round: presentFreshRound(turn, event.round) }),
    ...(turn && withTurn && { turn: presentTurn(turnAsItEnded(turn, event)) }),
  };
  return { ...head, data };
}

function attemptOf({ id, attempts }: OwedDelivery, answer: WebhookAnswer, { redact }: WorkerContext): DeliveryAttempt {
  const { statusCode, durationMs } = answer;
  const body = answer.body === null ? null : redact(answer.body);
  const common = { id, attempts, statusCode, body, durationMs };
  if (answer.kind === 'delivered') return { ...common, status: 'delivered', error: null, retryInMs: null };
  const retryInMs = answer.kind === 'retry' ? nextAttemptDelayMs(attempts + 1) : null;
  return { ...common, status: retryInMs === null ? 'failed' : 'pending', error: answer.error, retryInMs };
}

/** Where the attempt was the last that its endpoint is given, both are known together. */
async function save(
  { endpoint, url }: OwedDelivery,
  { attempt, answer }: { attempt: DeliveryAttempt; answer: WebhookAnswer },
  { db, log }: WorkerContext,
): Promise<Ring[]> {
  const reason = endpoint && reasonToDisable(answer, endpoint.failingForMs);
  if (!reason) return persist(() => saveDelivery(db, attempt));

  const { id } = endpoint;
  const { saved, told } = await persist(() =>
    db.transaction().execute(async (trx) => ({
      saved: await saveDelivery(trx, attempt),
      told: await disableWebhookEndpoint(trx, { id, url, reason, isFinal: answer.kind === 'stop' }),
    })),
  );
  if (told) log.warn({ webhook_endpoint_id: id }, `webhook endpoint disabled: ${reason}`);
  return [...saved, ...(told ?? [])];
}
