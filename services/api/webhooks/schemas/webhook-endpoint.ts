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

/** A standing webhook endpoint; `presentWebhookEndpoint` makes it. */
export const WebhookEndpoint = z
  .object({
    id: WebhookEndpointId,
    object: z.literal('webhook_endpoint'),
    url: z.string().describe('Where events are posted.'),
    description: z.string().nullable().describe('What its creator calls it.'),
    events: z.array(EndpointEvent).describe('Which events it receives.'),
    include: z.array(z.literal('turn')).describe('`turn` where the whole turn is sent along.'),
    status: z.enum(['enabled', 'disabled']).describe('Whether anything is sent to it.'),
    disabled_reason: z.string().nullable().describe('Why it was given up; null where it was not.'),
    failing_since: Time.nullable().describe('When deliveries began to fail; null after one that came through.'),
    created_at: Time,
  })
  .meta({
    id: 'WebhookEndpoint',
    description: 'A URL that receives the events of all turns of its project.',
    examples: [example],
  });

/** The secrets that sign for an endpoint now. */
export const WebhookSecrets = z
  .object({ secrets: z.array(z.string()).describe('The newest first; two of them while one is rotated.') })
  .meta({ id: 'WebhookSecrets', description: 'What signs now.', examples: [secrets] });

/** An endpoint at the moments when its secrets are new. */
export const WebhookEndpointWithSecrets = WebhookEndpoint.extend(WebhookSecrets.shape).meta({
  id: 'WebhookEndpointWithSecrets',
  description: 'A webhook endpoint, and what signs for it now.',
  examples: [{ ...example, ...secrets }],
});

/** The receiver's answer to a test. */
export const WebhookTest = z
  .object({
    object: z.literal('webhook_test'),
    event_id: EventId.describe('The event that was sent.'),
    status: z.enum(['delivered', 'failed']).describe('Whether the receiver took it.'),
    status_code: z.int().nullable().describe('What it answered; null where it did not.'),
    body: z.string().nullable().describe('The first 1 KiB of the answer; null where there was none.'),
    error: z.string().nullable().describe('Why it failed; null where it did not.'),
    duration_ms: z.int().describe('How long it took, in milliseconds.'),
  })
  .meta({
    id: 'WebhookTest',
    description: 'What came of one event that was sent to see whether it arrives.',
    examples: [
      {
        ...{ object: 'webhook_test', event_id: 'evt_01kagz8m4pfvbte2n5q7rys3wx', status: 'delivered' },
        ...{ status_code: 200, body: 'ok', error: null, duration_ms: 41 },
      },
    ],
  });
