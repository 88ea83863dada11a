import { z } from 'zod';
import { eventList, ResponseWebhookEvent, Webhook, WebhookEvent } from './webhook.ts';

/** The events of an endpoint: of turns, of responses, and that another endpoint of its project was given up. */
export const EndpointEvent = z.enum([
  ...WebhookEvent.options,
  ...ResponseWebhookEvent.options,
  'webhook_endpoint.disabled',
]);
export type EndpointEvent = z.infer<typeof EndpointEvent>;

const fields = {
  description: z.string().max(500).nullish().describe('What you call it.'),
  events: eventList(EndpointEvent).describe(
    'Which events to send. By default how turns end, and that they wait for a client or a person.',
  ),
  include: Webhook.shape.include,
};

/** `POST /v1/webhook_endpoints`. */
export const WebhookEndpointRequest = z.strictObject({ url: Webhook.shape.url, ...fields }).meta({
  id: 'WebhookEndpointRequest',
  description: 'A webhook endpoint to be created.',
  examples: [{ url: 'https://example.com/hooks/pawl', events: ['turn.completed', 'turn.failed'], include: ['turn'] }],
});
export type WebhookEndpointRequest = z.output<typeof WebhookEndpointRequest>;

/** `PATCH /v1/webhook_endpoints/:id`: what is left out stays, `null` is the default again. */
export const WebhookEndpointChange = z
  .strictObject({
    url: Webhook.shape.url.optional(),
    ...fields,
    status: z.enum(['enabled', 'disabled']).optional().describe('Whether anything is sent to it.'),
  })
  .meta({
    id: 'WebhookEndpointChange',
    description: 'What to change of a webhook endpoint.',
    examples: [{ status: 'enabled' }, { events: ['turn.failed'], include: null }],
  });
export type WebhookEndpointChange = z.output<typeof WebhookEndpointChange>;

/** A standing endpoint as it is stored, but for its secrets. `failingSince` is null after a delivery that came through. */
export type WebhookEndpoint = {
  id: string;
  url: string;
  description: string | null;
  events: EndpointEvent[];
  withTurn: boolean;
  status: 'enabled' | 'disabled';
  disabledReason: string | null;
  failingSince: string | null;
  createdAt: string;
};
