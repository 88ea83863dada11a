import type { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { json } from '../make-router.ts';
import { EventId } from './id.ts';
import { webhookEvents } from './webhook-event.ts';

const headers = z.object({
  'webhook-id': EventId.describe('The id of the event; the same however often it is sent.'),
  'webhook-timestamp': z.string().describe('When this attempt was made, in seconds since 1970.'),
  'webhook-signature': z
    .string()
    .describe('`v1,` and the base64 of an HMAC-SHA256 of `id.timestamp.body`; while rotating several, with spaces.'),
});

/** What is posted to webhooks: one entry for each type of event. */
export const webhooks = Object.entries(webhookEvents).map(([type, schema]): Parameters<typeof createRoute>[0] => ({
  method: 'post',
  path: type,
  tags: ['Webhooks'],
  summary: schema.meta()?.description ?? type,
  request: { headers, body: { required: true, content: json(schema) } },
  responses: {
    '2XX': { description: 'Received. Any other answer, or none in 15 s, is tried again, for three days.' },
    410: { description: 'No more of these: nothing is tried again.' },
  },
}));
