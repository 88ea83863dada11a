import { type RouteHandler, z } from '@hono/zod-openapi';
import { rotateEndpointSecret } from '#core/checkpoint/webhooks/endpoints.ts';
import { newId } from '#core/id.ts';
import { presentWebhookEndpoint } from '#core/turn/resource/webhook-endpoint.ts';
import { postWebhook } from '#core/webhooks/post.ts';
import { newWebhookSecret } from '#core/webhooks/sign.ts';
import type { ApiContext } from '../context.ts';
import { findOwnWebhookEndpoint } from '../http/find-own.ts';
import { withIdempotencyKey } from '../http/idempotency.ts';
import { type ApiEnv, jsonAnswer, makeRouter, routesOf } from '../http/router.ts';
import { ofAnyBody, ofIdempotencyKey } from '../schemas/errors/refusals.ts';
import { idempotencyKey, replayedHeader } from '../schemas/fields/headers.ts';
import { WebhookEndpointId } from '../schemas/fields/id.ts';
import { WebhookEndpointWithSecrets, WebhookSecrets, WebhookTest } from './schemas/webhook-endpoint.ts';

const params = z.object({ id: WebhookEndpointId });

const route = routesOf('Webhook endpoints');

const secret = route('get', '/v1/webhook_endpoints/{id}/secret', 'readEndpointSecret', {
  summary: 'Read the secrets that currently sign for a webhook endpoint',
  request: { params },
  answers: { 200: jsonAnswer('The secrets.', WebhookSecrets) },
  refusals: ['webhook_endpoint_not_found'],
});

const rotate = route('post', '/v1/webhook_endpoints/{id}/rotate_secret', 'rotateEndpointSecret', {
  summary: 'Rotate the secret of a webhook endpoint (the old secret signs for 24 hours more)',
  parameters: [idempotencyKey],
  request: { params },
  answers: { 200: jsonAnswer('The endpoint with its secrets.', WebhookEndpointWithSecrets, replayedHeader) },
  refusals: [...ofAnyBody, ...ofIdempotencyKey, 'webhook_endpoint_not_found'],
});

const test = route('post', '/v1/webhook_endpoints/{id}/test', 'testWebhookEndpoint', {
  summary: 'Send a test event to a webhook endpoint, and show its answer',
  description:
    'The event is `webhook.test`, signed like any other. Pawl sends it once, even if the endpoint is disabled.',
  request: { params },
  answers: { 200: jsonAnswer('The outcome of the test.', WebhookTest) },
  refusals: [...ofAnyBody, 'webhook_endpoint_not_found'],
});

/** Serves the actions on a webhook endpoint: reading and rotating its secret, and a test. */
export function webhookEndpointActionRoutes(context: ApiContext) {
  return makeRouter()
    .openapi(secret, async (c) => {
      const { secrets } = await findOwnWebhookEndpoint(context.db, c.get('project'), c.req.valid('param').id);
      return c.json({ secrets }, 200);
    })
    .openapi(rotate, rotateSecret(context))
    .openapi(test, testOne(context));
}

/** A repeated request with the same key rotates once. A second rotation would end the secret that receivers have. */
function rotateSecret(context: ApiContext): RouteHandler<typeof rotate, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const { id } = await findOwnWebhookEndpoint(context.db, project, c.req.valid('param').id);
    await withIdempotencyKey(c, context, {
      alone: async (db) => {
        await rotateEndpointSecret(db, { project, id }, newWebhookSecret());
        return { status: 200, resourceId: id };
      },
    });
    const endpoint = await findOwnWebhookEndpoint(context.db, project, id);
    return c.json({ ...presentWebhookEndpoint(endpoint), secrets: endpoint.secrets }, 200);
  };
}

/** Sends a delivery with the usual egress rules and signature, but only once, now, and from the API. */
function testOne({ db, egress, redact }: ApiContext): RouteHandler<typeof test, ApiEnv> {
  return async (c) => {
    const { id, url, secrets } = await findOwnWebhookEndpoint(db, c.get('project'), c.req.valid('param').id);
    const head = { id: newId('evt'), object: 'event' as const, type: 'webhook.test' };
    const event = { ...head, timestamp: new Date().toISOString(), data: { id } };
    const answer = await postWebhook(egress, { url, secrets, event });
    const { statusCode, body, durationMs } = answer;
    const result = {
      object: 'webhook_test' as const,
      event_id: event.id,
      status: answer.kind === 'delivered' ? ('delivered' as const) : ('failed' as const),
      status_code: statusCode,
      body: body === null ? null : redact(body),
      error: answer.kind === 'delivered' ? null : answer.error,
      duration_ms: durationMs,
    };
    return c.json(result, 200);
  };
}
