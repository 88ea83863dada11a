import { z } from 'zod';
import { eventList, ResponseWebhookEvent, Webhook, WebhookEvent } from './webhook.ts';

/** The events of an endpoint: of turns, of responses, and of a disabled endpoint of its project. */
export const EndpointEvent = z.enum([
  ...WebhookEvent.options,
  ...ResponseWebhookEvent.options,
  'webhook_endpoint.disabled',
]);
export type EndpointEvent = z.infer<typeof EndpointEvent>;

const fields = {
  description: z.string().max(500).nullish().describe('A description of the endpoint.'),
  events: eventList(EndpointEvent).describe(
    'The events to send. By default the end of a turn, and `turn.requires_action`.',
  ),
  include: Webhook.shape.include,
};

/** `POST /v1/webhook_endpoints`. */
export const WebhookEndpointRequest = z.strictObject({ url: Webhook.shape.url, ...fields }).meta({
  id: 'WebhookEndpointRequest',
  description: 'A webhook endpoint to create.',
  examples: [{ url: 'https://example.com/hooks/pawl', events: ['turn.completed', 'turn.failed'], include: ['turn'] }],
});
export type WebhookEndpointRequest = z.output<typeof WebhookEndpointRequest>;

/** `PATCH /v1/webhook_endpoints/:id`: an omitted field stays, `null` restores the default. */
export const WebhookEndpointChange = z
  .strictObject({
    url: Webhook.shape.url.optional(),
    ...fields,
    status: z.enum(['enabled', 'disabled']).optional().describe('Whether Pawl sends events to the endpoint.'),
  })
  .meta({
    id: 'WebhookEndpointChange',
    description: 'Changes to a webhook endpoint.',
    examples: [{ status: 'enabled' }, { events: ['turn.failed'], include: null }],
  });
export type WebhookEndpointChange = z.output<typeof WebhookEndpointChange>;

/** An endpoint as it is stored, without its secrets. `failingSince` is null after a successful delivery. */
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
