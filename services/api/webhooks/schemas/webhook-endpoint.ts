import { z } from 'zod';
import { EndpointEvent } from '#core/turn/request/webhook-endpoint.ts';
import { EventId, WebhookEndpointId } from '../../schemas/fields/id.ts';
import { Time } from '../../schemas/fields/time.ts';

const example = {
  ...{ id: 'whe_01kagz8m4pfvbte2n5q7rys3wx', object: 'webhook_endpoint', url: 'https://example.com/hooks/pawl' },
  ...{ description: 'The order desk', events: ['turn.completed', 'turn.failed'], include: ['turn'], status: 'enabled' },
  ...{ disabled_reason: null, failing_since: null, created_at: '2026-11-20T10:00:00.000Z' },
};
const secrets = { secrets: ['whsec_b25seSBhbiBleGFtcGxlLCBuZXZlciB1c2UgaXQ='] };

/** A webhook endpoint, made by `presentWebhookEndpoint`. */
export const WebhookEndpoint = z
  .object({
    id: WebhookEndpointId,
    object: z.literal('webhook_endpoint'),
    url: z.string().describe('The URL that receives the events.'),
    description: z.string().nullable().describe('A name or description by the caller.'),
    events: z.array(EndpointEvent).describe('The event types that the endpoint receives.'),
    include: z.array(z.literal('turn')).describe('`turn`: each event includes the whole turn.'),
    status: z.enum(['enabled', 'disabled']).describe('Whether events are sent to the endpoint.'),
    disabled_reason: z
      .string()
      .nullable()
      .describe('The reason why Pawl disabled the endpoint. Null if Pawl did not disable it.'),
    failing_since: Time.nullable().describe(
      'The time when deliveries began to fail. Null after a successful delivery.',
    ),
    created_at: Time,
  })
  .meta({
    id: 'WebhookEndpoint',
    description: 'A URL that receives the events of all turns of its project.',
    examples: [example],
  });

/** The secrets that currently sign for an endpoint. */
export const WebhookSecrets = z
  .object({ secrets: z.array(z.string()).describe('The secrets, newest first. Two secrets during a rotation.') })
  .meta({ id: 'WebhookSecrets', description: 'The secrets that currently sign.', examples: [secrets] });

/** An endpoint in the answers that create or change its secrets. */
export const WebhookEndpointWithSecrets = WebhookEndpoint.extend(WebhookSecrets.shape).meta({
  id: 'WebhookEndpointWithSecrets',
  description: 'A webhook endpoint with the secrets that currently sign for it.',
  examples: [{ ...example, ...secrets }],
});

/** The receiver's answer to a test. */
export const WebhookTest = z
  .object({
    object: z.literal('webhook_test'),
    event_id: EventId.describe('The id of the event that was sent.'),
    status: z.enum(['delivered', 'failed']).describe('Whether the receiver accepted the event.'),
    status_code: z.int().nullable().describe('The status code of the receiver. Null if it did not answer.'),
    body: z.string().nullable().describe('The first 1 KiB of the answer. Null if the receiver did not answer.'),
    error: z.string().nullable().describe('The reason why the event was not accepted. Null if it was accepted.'),
    duration_ms: z.int().describe('The duration of the request in milliseconds.'),
  })
  .meta({
    id: 'WebhookTest',
    description: 'The outcome of a test event.',
    examples: [
      {
        ...{ object: 'webhook_test', event_id: 'evt_01kagz8m4pfvbte2n5q7rys3wx', status: 'delivered' },
        ...{ status_code: 200, body: 'ok', error: null, duration_ms: 41 },
      },
    ],
  });
