import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { disableWebhookEndpoint } from '#core/checkpoint/webhooks/disable-endpoint.ts';
import { type DeliveryAttempt, saveDelivery } from '#core/checkpoint/webhooks/save-delivery.ts';
import type { DueDelivery } from '#core/checkpoint/webhooks/take-deliveries.ts';
import type { TraceHeaders } from '#core/trace-context.ts';
import { presentFreshRound, turnAsItEnded } from '#core/turn/resource/event.ts';
import { iso } from '#core/turn/resource/iso.ts';
import { presentTurn } from '#core/turn/resource/turn.ts';
import { unixSeconds } from '#core/turn/resource/unix-seconds.ts';
import { responseIdOf } from '#core/turn/responses/item-id.ts';
import { reasonToDisable } from '#core/webhooks/outcome.ts';
import { postWebhook, type WebhookEvent, type WebhookResponse } from '#core/webhooks/post.ts';
import { retryDelayMs } from '#core/webhooks/retry-delay.ts';
import { turnSpanId } from '../process/trace/span-ids.ts';
import type { WorkerContext } from './context.ts';
import { writeCheckpoint } from './write-checkpoint.ts';

/**
 * The result of an attempt. `hasAnswered`: the receiver sent its whole answer in time. `leavesNext`: other deliveries
 * are due now.
 */
export type DeliveryOutcome = { hasAnswered: boolean; leavesNext: boolean };

/** Makes one attempt at a delivery. Each attempt carries the same event id, so that receivers can drop duplicates. */
export async function deliverWebhook(delivery: DueDelivery, context: WorkerContext): Promise<DeliveryOutcome> {
  const secrets = delivery.endpoint?.secrets ?? (await context.secretsOf(delivery.project));
  const answer = await postWebhook(context.egress, {
    url: delivery.url,
    secrets,
    event: await eventOf(delivery, context),
    trace: traceOf(delivery, context),
  });
  const attempt = attemptOf(delivery, answer, context);
  const leavesNext = await save(delivery, { attempt, answer }, context);

  const { status, retryInMs, error } = attempt;
  context.metrics.deliveryAttempted(status === 'pending' ? 'retried' : status);
  const about = { event: 'delivery.attempted', turn_id: delivery.turnId, delivery_id: delivery.id, status };
  const log = context.log.child({ ...about, attempt: delivery.attempts + 1 });
  const sentence = `webhook ${status === 'pending' ? `again in ${retryInMs} ms` : status}: ${delivery.event.type}`;
  if (error === null) log.info(sentence);
  else log.warn({ status_code: attempt.statusCode }, `${sentence}. ${error}`);
  return { hasAnswered: attempt.statusCode !== null && !answer.hasTimedOut, leavesNext };
}

/** Returns the trace headers of a webhook, within the span of its turn. */
function traceOf(delivery: DueDelivery, { tracer }: WorkerContext): TraceHeaders {
  if (delivery.turnId === null) return {};
  const turn = { id: delivery.turnId, trace: delivery.trace ?? null };
  return tracer.headersWithin(turn, () => turnSpanId(turn));
}

async function eventOf(delivery: DueDelivery, { db }: WorkerContext): Promise<WebhookEvent> {
  const { id, type, createdAt } = delivery.event;
  const named = { id, object: 'event' as const, type };
  const head = { ...named, timestamp: iso(createdAt) };
  if (delivery.turnId === null) return { ...head, data: delivery.event.data };

  const { turnId, withTurn, event } = delivery;
  if (event.type.startsWith('response.')) {
    return { ...named, created_at: unixSeconds(createdAt), data: { id: responseIdOf(turnId) } };
  }
  const isRound = type === 'round.completed';
  const turn = withTurn || isRound ? await loadTurn(db, turnId) : undefined;
  const data = {
    id: turnId,
    ...(turn && isRound && { round: presentFreshRound(turn, event.round) }),
    ...(turn && withTurn && { turn: presentTurn(turnAsItEnded(turn, event)) }),
  };
  return { ...head, data };
}

function attemptOf({ id, attempts }: DueDelivery, answer: WebhookResponse, { redact }: WorkerContext): DeliveryAttempt {
  const { statusCode, durationMs } = answer;
  const body = answer.body === null ? null : redact(answer.body);
  const common = { id, attempts, statusCode, body, durationMs };
  if (answer.kind === 'delivered') return { ...common, status: 'delivered', error: null, retryInMs: null };
  const delayMs = answer.kind === 'retry' ? retryDelayMs(attempts + 1) : null;
  const retryInMs = delayMs && Math.max(delayMs, answer.retryAfterMs ?? 0);
  return { ...common, status: retryInMs === null ? 'failed' : 'pending', error: answer.error, retryInMs };
}

/**
 * Saves an attempt, and disables its endpoint in the same commit if the answer requires it. Returns true if other
 * deliveries are due now.
 */
async function save(
  { endpoint, url, turnId }: DueDelivery,
  { attempt, answer }: { attempt: DeliveryAttempt; answer: WebhookResponse },
  context: WorkerContext,
): Promise<boolean> {
  const { db, log } = context;
  const write = { verb: 'saveDelivery', turnId };
  const reason = endpoint && reasonToDisable(answer, endpoint.failingForMs);
  if (!reason) return writeCheckpoint(context, write, () => saveDelivery(db, attempt));

  const { id } = endpoint;
  const { saved, disabled } = await writeCheckpoint(context, write, () =>
    db.transaction().execute(async (trx) => ({
      saved: await saveDelivery(trx, attempt),
      disabled: await disableWebhookEndpoint(trx, { id, url, reason, isFinal: answer.kind === 'stop' }),
    })),
  );
  if (disabled)
    log.warn({ event: 'webhook_endpoint.disabled', webhook_endpoint_id: id }, `webhook endpoint disabled: ${reason}`);
  return saved || disabled;
}
