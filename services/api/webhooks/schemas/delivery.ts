import { z } from 'zod';
import { DeliveryId, EventId, WebhookEndpointId } from '../../schemas/fields/id.ts';
import { Time } from '../../schemas/fields/time.ts';

export const DeliveryStatus = z
  .enum(['pending', 'delivered', 'failed'])
  .describe('Whether the event is still to be sent, was delivered, or was given up.');

const example = {
  ...{ id: 'dlv_01kagz8m4pfvbte2n5q7rys3wx', object: 'delivery', event_id: 'evt_01kagz8m4pfvbte2n5q7rys3wx' },
  ...{ type: 'turn.completed', url: 'https://example.com/hooks/pawl', status: 'delivered', attempts: 2 },
  ...{ last_status_code: 200, last_error: null, next_attempt_at: null },
  ...{ created_at: '2026-11-20T10:00:02.015Z', delivered_at: '2026-11-20T10:00:07.310Z' },
};

/** An event sent, or to be sent, to a URL. */
export const Delivery = z
  .object({
    id: DeliveryId,
    object: z.literal('delivery'),
    event_id: EventId.describe('The id of the event, which is also its `webhook-id`.'),
    type: z.string().describe('The type of the event.'),
    url: z.string().describe('The URL of the receiver.'),
    status: DeliveryStatus,
    attempts: z.int().describe('The number of attempts.'),
    last_status_code: z.int().nullable().describe('The last status code of the receiver. Null if it did not answer.'),
    last_error: z.string().nullable().describe('The reason why the last attempt failed. Null if it did not fail.'),
    next_attempt_at: Time.nullable().describe('The time of the next attempt. Null if there is none.'),
    created_at: Time,
    delivered_at: Time.nullable().describe('The time when the event was delivered. Null before that.'),
  })
  .meta({ id: 'Delivery', description: 'A delivery: one event sent to one URL.', examples: [example] });

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
    attempt: z.int().describe('The number of the attempt, from 1.'),
    at: Time.describe('The time of the attempt.'),
    status_code: z.int().nullable().describe('The status code of the receiver. Null if it did not answer.'),
    body: z.string().nullable().describe('The first 1 KiB of the answer. Null if the receiver did not answer.'),
    error: z.string().nullable().describe('The reason why the attempt failed. Null if it did not fail.'),
    duration_ms: z.int().describe('The duration of the attempt in milliseconds.'),
  })
  .meta({
    id: 'DeliveryAttempt',
    description: 'An attempt: one request to the receiver, and its answer.',
    examples: [failure],
  });

/** A delivery with its log. */
export const LoggedDelivery = Delivery.extend({
  webhook_endpoint_id: WebhookEndpointId.nullable().describe(
    'The webhook endpoint. Null if the turn itself named the URL.',
  ),
  log: z.array(Attempt).describe('The last 20 attempts, the newest last.'),
}).meta({
  id: 'LoggedDelivery',
  description: 'A delivery with the log of its attempts.',
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
