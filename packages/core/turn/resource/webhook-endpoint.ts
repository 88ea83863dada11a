import type { WebhookEndpoint } from '../request/webhook-endpoint.ts';
import { iso } from './iso.ts';

/** Returns a webhook endpoint as callers see it. Its secrets are shown separately. */
export function presentWebhookEndpoint(endpoint: WebhookEndpoint) {
  return {
    id: endpoint.id,
    object: 'webhook_endpoint' as const,
    url: endpoint.url,
    description: endpoint.description,
    events: endpoint.events,
    include: endpoint.withTurn ? ['turn' as const] : [],
    status: endpoint.status,
    disabled_reason: endpoint.disabledReason,
    failing_since: iso(endpoint.failingSince),
    created_at: iso(endpoint.createdAt),
  };
}
