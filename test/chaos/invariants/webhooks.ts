import type { History } from '../history.ts';

/**
 * The least pause before the next attempt, in milliseconds: the first pause, less its jitter and a second of
 * tolerance.
 */
const LEAST_PAUSE_MS = 3_400;

/** The longest time between the signature of a webhook and its arrival. */
const SLACK_MS = 1_000;

/** Returns ended turns that had no webhook accepted, or announced their end under several ids. */
export function missedWebhooks({ plans, rows, webhooks }: Pick<History, 'plans' | 'rows' | 'webhooks'>): string[] {
  const wanting = new Set(plans.filter(({ hasWebhook }) => hasWebhook).map(({ number }) => number));
  const seenOf = Map.groupBy(webhooks, ({ turnId }) => turnId);
  return rows.turns.flatMap(({ id, plan, completedAt }) => {
    if (!wanting.has(plan) || completedAt === null) return [];
    const seen = seenOf.get(id) ?? [];
    const isOver = seen.some(({ answered }) => answered === 204 || answered === 410);
    const ids = new Set(seen.map((webhook) => webhook.id));
    if (!isOver) return [`${id} has ended, and its webhook was not accepted in ${seen.length} attempts`];
    return ids.size === 1 ? [] : [`${id} announced its end under ${ids.size} ids`];
  });
}

/**
 * Returns webhooks with a wrong signature, or with an id that no stored event has. A worker with a wrong clock signs
 * for a wrong time. Receivers refuse that webhook, and it must still be delivered.
 */
export function forgedWebhooks({ webhooks, rows, faults }: Pick<History, 'webhooks' | 'rows' | 'faults'>): string[] {
  const known = new Set(rows.deliveries.map(({ eventId }) => eventId));
  const skews = faults.filter(({ kind }) => kind === 'worker-skew' || kind === 'worker-misdated');
  const isExcused = (at: number) => skews.some(({ from, endedAt }) => at >= from && at <= endedAt + SLACK_MS);
  return webhooks.flatMap(({ at, id, signature }) => {
    if (!known.has(id)) return [`webhook ${id} has no stored delivery`];
    const isRight = signature === 'right' || (signature === 'untimely' && isExcused(at));
    return isRight ? [] : [`the signature of webhook ${id} is ${signature}`];
  });
}

/** Returns deliveries that are not over, or that differ from the receiver's record. */
export function oddDeliveries({ webhooks, rows }: Pick<History, 'webhooks' | 'rows'>): string[] {
  const seenOf = Map.groupBy(webhooks, ({ id }) => id);
  return rows.deliveries.flatMap(({ id, eventId, status, attempts }) => {
    const seen = seenOf.get(eventId) ?? [];
    const answered = (code: number) => seen.some((webhook) => webhook.answered === code);
    if (status === 'pending') return [`delivery ${id} is still pending after ${attempts} attempts`];
    if (status === 'delivered' && !answered(204)) return [`delivery ${id} is delivered, and no receiver accepted it`];
    if (status === 'failed' && !answered(410)) return [`delivery ${id} was given up after ${attempts} attempts`];
    return [];
  });
}

/** Returns webhooks that were repeated too soon after a failed attempt. */
export function hastyWebhooks({ webhooks, hurriedFrom }: Pick<History, 'webhooks' | 'hurriedFrom'>): string[] {
  const ours = webhooks.filter(({ at }) => at < hurriedFrom);
  return [...Map.groupBy(ours, ({ id }) => id)].flatMap(([id, seen]) =>
    seen.flatMap(({ at }, index) => {
      const before = seen[index - 1];
      if (!before || before.answered === 204 || at - before.at >= LEAST_PAUSE_MS) return [];
      return [`webhook ${id} was sent again ${at - before.at} ms after the answer ${before.answered ?? 'none'}`];
    }),
  );
}
