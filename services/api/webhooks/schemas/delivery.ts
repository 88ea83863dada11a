import { z } from 'zod';
import { DeliveryId, EventId, WebhookEndpointId } from '../../schemas/fields/id.ts';
import { Time } from '../../schemas/fields/time.ts';

export const DeliveryStatus = z
  .enum(['pending', 'delivered', 'failed'])
  .describe('Whether it is still to be sent, has arrived, or was given up.');

const example = {
  ...{ id: 'dlv_01kagz8m4pfvbte2n5q7rys3wx', object: 'delivery', event_id: 'evt_01kagz8m4pfvbte2n5q7rys3wx' },
  ...{ type: 'turn.completed', url: 'https://example.com/hooks/pawl', status: 'delivered', attempts: 2 },
  ...{ last_status_code: 200, last_error: null, next_attempt_at: null },
  ...{ created_at: '2026-11-20T10:00:02.015Z', delivered_at: '2026-11-20T10:00:07.310Z' },
};

/** One event sent, or to be sent, to one URL. */
export const Delivery = z
  .object({
    id: DeliveryId,
    object: z.literal('delivery'),
    event_id: EventId.describe('The event it carries, which is also its `webhook-id`.'),
    type: z.string().describe('The type of the event.'),
    url: z.string().describe('Where it goes.'),
    status: DeliveryStatus,
    attempts: z.int().describe('How often it was sent.'),
    last_status_code: z.int().nullable().describe('What the receiver last answered; null where it did not.'),
    last_error: z.string().nullable().describe('Why the last attempt failed; null where it did not.'),
    next_attempt_at: Time.nullable().describe('When it is sent next; null where it is not.'),
    created_at: Time,
    delivered_at: Time.nullable().describe('When it arrived; null until then.'),
  })
  .meta({ id: 'Delivery', description: 'One event sent to one webhook endpoint.', examples: [example] });

const failure = {
  ...{ attempt: 1, at: '2026-11-20T10:00:02.034Z', status_code: 503, body: 'Not now.' },
  ...{ error: 'The receiver answered 503.', duration_ms: 96 },
};
const success = {
  ...{ attempt: 2, at: '2026-11-20T10:00:07.269Z', status_code: 200, body: 'ok' },
  ...{ error: null, duration_ms: 41 },
};

const Attempt = z
  .object({
    attempt: z.int().describe('Which attempt it was, from 1.'),
    at: Time.describe('When it was made.'),
    status_code: z.int().nullable().describe('What the receiver answered; null where it did not.'),
    body: z.string().nullable().describe('The first 1 KiB of the answer; null where there was none.'),
    error: z.string().nullable().describe('Why it failed; null where it did not.'),
    duration_ms: z.int().describe('How long it took, in milliseconds.'),
  })
  .meta({
    id: 'DeliveryAttempt',
    description: 'One request to the receiver, and what it answered.',
    examples: [failure],
  });

/** A delivery with its log. */
export const LoggedDelivery = Delivery.extend({
  webhook_endpoint_id: WebhookEndpointId.nullable().describe(
    'The webhook endpoint it goes to; null where the turn itself named the URL.',
  ),
  log: z.array(Attempt).describe('The last 20 attempts, the newest last.'),
}).meta({
  id: 'LoggedDelivery',
  description: 'A delivery, where it goes and what came of each attempt.',
  examples: [
    {
      ...{ ...example, webhook_endpoint_id: null },
      log: [
        { ...failure, error: 'The receiver answered 503.' },
        { ...success, error: null },
      ],
    },
  ],
});
