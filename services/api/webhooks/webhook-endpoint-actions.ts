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
  summary: 'Read the secrets that sign for a webhook endpoint now',
  request: { params },
  answers: { 200: jsonAnswer('The secrets.', WebhookSecrets) },
  refusals: ['webhook_endpoint_not_found'],
});

const rotate = route('post', '/v1/webhook_endpoints/{id}/rotate_secret', 'rotateEndpointSecret', {
  summary: 'Give a webhook endpoint a new secret; the one before signs too for 24 hours',
  parameters: [idempotencyKey],
  request: { params },
  answers: { 200: jsonAnswer('The endpoint with its secrets.', WebhookEndpointWithSecrets, replayedHeader) },
  refusals: [...ofAnyBody, ...ofIdempotencyKey, 'webhook_endpoint_not_found'],
});

const test = route('post', '/v1/webhook_endpoints/{id}/test', 'testWebhookEndpoint', {
  summary: 'Send an event to a webhook endpoint now, and see its answer',
  description: 'The event is `webhook.test`, signed like any other. It is sent once, and also where none is enabled.',
  request: { params },
  answers: { 200: jsonAnswer('Its answer.', WebhookTest) },
  refusals: [...ofAnyBody, 'webhook_endpoint_not_found'],
});

/** The actions on a webhook endpoint: read and rotate its secret, test it. */
export function webhookEndpointActionRoutes(context: ApiContext) {
  return makeRouter()
    .openapi(secret, async (c) => {
      const { secrets } = await findOwnWebhookEndpoint(context.db, c.get('project'), c.req.valid('param').id);
      return c.json({ secrets }, 200);
    })
    .openapi(rotate, rotateSecret(context))
    .openapi(test, testOne(context));
}

/** A request repeated with its key rotates once: a second rotation would end the secret that receivers have. */
function rotateSecret(context: ApiContext): RouteHandler<typeof rotate, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const { id } = await findOwnWebhookEndpoint(context.db, project, c.req.valid('param').id);
    await withIdempotencyKey(c, context, {
      atOnce: async (db) => {
        await rotateEndpointSecret(db, { project, id }, newWebhookSecret());
        return { status: 200, resourceId: id };
      },
    });
    const endpoint = await findOwnWebhookEndpoint(context.db, project, id);
    return c.json({ ...presentWebhookEndpoint(endpoint), secrets: endpoint.secrets }, 200);
  };
}

/** Like any delivery, under the same egress rules and with the same signature, but made once, now and by the API. */
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
