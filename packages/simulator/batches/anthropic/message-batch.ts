import { hasEnded, type KeptBatch, type Outcome, resultsOf } from '../kept-batch.ts';

const DAY_MS = 86_400_000;

/** Returns the object that describes a batch as of now. A new batch never has ended. */
export function messageBatch(batch: KeptBatch, origin: string, isNew = false) {
  const { id, createdAt, endsAt, cancelledAt, outcomes } = batch;
  const isEnded = !isNew && hasEnded(batch);
  return {
    id,
    type: 'message_batch',
    processing_status: isEnded ? 'ended' : 'in_progress',
    request_counts: countsOf(outcomes, isEnded),
    ended_at: isEnded ? timeOf(endsAt) : null,
    created_at: timeOf(createdAt),
    expires_at: timeOf(createdAt + DAY_MS),
    archived_at: null,
    cancel_initiated_at: cancelledAt === null ? null : timeOf(cancelledAt),
    results_url: isEnded ? `${origin}/v1/messages/batches/${id}/results` : null,
  };
}

/** Writes the results of a batch, one line each. */
export function messageResults(batch: KeptBatch): string {
  const lines = resultsOf(batch).map((outcome) => JSON.stringify({ custom_id: outcome.id, result: resultOf(outcome) }));
  return lines.map((line) => `${line}\n`).join('');
}

/** Counts the requests by their end. All requests are in processing until the batch ends. */
function countsOf(outcomes: Outcome[], isEnded: boolean): Record<string, number> {
  const types = outcomes.map((outcome) => (isEnded ? resultOf(outcome).type : 'processing'));
  const count = (type: string) => types.filter((other) => other === type).length;
  return {
    processing: count('processing'),
    succeeded: count('succeeded'),
    errored: count('errored'),
    canceled: count('canceled'),
    expired: count('expired'),
  };
}

function resultOf(outcome: Outcome): { type: string; [field: string]: unknown } {
  switch (outcome.kind) {
    case 'answered':
      if (outcome.status >= 400) return { type: 'errored', error: outcome.body };
      return { type: 'succeeded', message: atTierOfBatch(outcome.body) };
    case 'cancelled':
      return { type: 'canceled' };
    case 'expired':
    case 'missing':
      return { type: 'expired' };
  }
}

/** Returns a message with the tier that Anthropic reports for batches. */
function atTierOfBatch(message: unknown): unknown {
  const { usage, ...rest } = Object(message);
  return { ...rest, usage: { ...usage, service_tier: 'batch' } };
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
