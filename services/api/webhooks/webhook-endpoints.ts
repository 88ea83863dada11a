import { type RouteHandler, z } from '@hono/zod-openapi';
import {
  changeWebhookEndpoint,
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookEndpoints,
  MAX_WEBHOOK_ENDPOINTS,
} from '#core/checkpoint/webhooks/endpoints.ts';
import { checkUrl } from '#core/egress/check-url.ts';
import type { EgressPolicy } from '#core/egress/policy.ts';
import { RequestRefused } from '#core/failure.ts';
import { newId } from '#core/id.ts';
import { DEFAULT_EVENTS } from '#core/turn/request/webhook.ts';
import { WebhookEndpointChange, WebhookEndpointRequest } from '#core/turn/request/webhook-endpoint.ts';
import { presentWebhookEndpoint } from '#core/turn/resource/webhook-endpoint.ts';
import { newWebhookSecret } from '#core/webhooks/sign.ts';
import type { ApiContext } from '../context.ts';
import { findOwnWebhookEndpoint } from '../http/find-own.ts';
import { withIdempotencyKey } from '../http/idempotency.ts';
import { type ApiEnv, json, jsonAnswer, makeRouter, routesOf } from '../http/router.ts';
import { ofBody, ofIdempotencyKey } from '../schemas/errors/refusals.ts';
import { createdHeaders, idempotencyKey } from '../schemas/fields/headers.ts';
import { WebhookEndpointId } from '../schemas/fields/id.ts';
import { listOf, PageQuery, pageOf, readCursor } from '../schemas/page.ts';
import { WebhookEndpoint, WebhookEndpointWithSecrets } from './schemas/webhook-endpoint.ts';

const params = z.object({ id: WebhookEndpointId });

const route = routesOf('Webhook endpoints');

const create = route('post', '/v1/webhook_endpoints', 'createWebhookEndpoint', {
  summary: 'Create a webhook endpoint that receives the events of every turn of the project',
  parameters: [idempotencyKey],
  request: { body: { required: true, content: json(WebhookEndpointRequest) } },
  answers: { 201: jsonAnswer('The endpoint, with the secret that signs.', WebhookEndpointWithSecrets, createdHeaders) },
  refusals: [...ofBody, ...ofIdempotencyKey, 'egress_blocked', 'too_many_webhook_endpoints'],
});

const list = route('get', '/v1/webhook_endpoints', 'listWebhookEndpoints', {
  summary: 'List webhook endpoints, newest first',
  request: { query: PageQuery },
  answers: { 200: jsonAnswer('A page.', listOf(WebhookEndpoint)) },
  refusals: ['invalid_value'],
});

const read = route('get', '/v1/webhook_endpoints/{id}', 'readWebhookEndpoint', {
  summary: 'Read a webhook endpoint',
  request: { params },
  answers: { 200: jsonAnswer('The endpoint.', WebhookEndpoint) },
  refusals: ['webhook_endpoint_not_found'],
});

const change = route('patch', '/v1/webhook_endpoints/{id}', 'changeWebhookEndpoint', {
  summary: 'Change, enable or disable a webhook endpoint (omitted fields keep their values)',
  request: { params, body: { required: true, content: json(WebhookEndpointChange) } },
  answers: { 200: jsonAnswer('The endpoint as it is now.', WebhookEndpoint) },
  refusals: [...ofBody, 'webhook_endpoint_not_found', 'egress_blocked'],
});

const remove = route('delete', '/v1/webhook_endpoints/{id}', 'deleteWebhookEndpoint', {
  summary: 'Delete a webhook endpoint and stop its deliveries',
  request: { params },
  answers: { 204: { description: 'Deleted.' } },
  refusals: ['quota_exceeded', 'webhook_endpoint_not_found'],
});

/** Serves `/v1/webhook_endpoints`: URLs that receive the events of all turns of a project. */
export function webhookEndpointRoutes(context: ApiContext) {
  return makeRouter()
    .openapi(create, createOne(context))
    .openapi(list, async (c) => {
      const { cursor, limit } = c.req.valid('query');
      const rows = await listWebhookEndpoints(context.db, c.get('project'), {
        ...readCursor('whe', cursor),
        limit: limit + 1,
      });
      return c.json(pageOf(rows, limit, presentWebhookEndpoint), 200);
    })
    .openapi(read, async (c) => {
      const endpoint = await findOwnWebhookEndpoint(context.db, c.get('project'), c.req.valid('param').id);
      return c.json(presentWebhookEndpoint(endpoint), 200);
    })
    .openapi(change, changeOne(context))
    .openapi(remove, async (c) => {
      const { id } = await findOwnWebhookEndpoint(context.db, c.get('project'), c.req.valid('param').id);
      await deleteWebhookEndpoint(context.db, c.get('project'), id);
      return c.body(null, 204);
    });
}

function createOne(context: ApiContext): RouteHandler<typeof create, ApiEnv> {
  return async (c) => {
    const { url, ...rest } = c.req.valid('json');
    requireReachable(url, context.egressPolicy);
    const { description = null, events = [...DEFAULT_EVENTS], withTurn = false } = changeOf(rest);
    const project = c.get('project');
    const id = newId('whe');
    const created = await withIdempotencyKey(c, context, {
      alone: async (db) => {
        const own = { description, events, withTurn, secret: newWebhookSecret() };
        if (!(await createWebhookEndpoint(db, { id, project, url, ...own }))) throw tooMany();
        return { status: 201, resourceId: id };
      },
    });
    const endpoint = await findOwnWebhookEndpoint(context.db, project, created.resourceId);
    c.header('Location', `${context.publicUrl}/v1/webhook_endpoints/${endpoint.id}`);
    return c.json({ ...presentWebhookEndpoint(endpoint), secrets: endpoint.secrets }, 201);
  };
}

function changeOne({ db, egressPolicy }: ApiContext): RouteHandler<typeof change, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const { id } = await findOwnWebhookEndpoint(db, project, c.req.valid('param').id);
    const body = c.req.valid('json');
    if (body.url !== undefined) requireReachable(body.url, egressPolicy);
    await changeWebhookEndpoint(db, { project, id }, changeOf(body));
    return c.json(presentWebhookEndpoint(await findOwnWebhookEndpoint(db, project, id)), 200);
  };
}

/** `null` means the default. An absent field is unchanged. */
function changeOf({ events, include, ...rest }: WebhookEndpointChange) {
  return {
    ...rest,
    events: events === null ? [...DEFAULT_EVENTS] : events,
    withTurn: include === undefined ? undefined : (include?.includes('turn') ?? false),
  };
}

function requireReachable(url: string, egress: EgressPolicy): void {
  const problem = checkUrl(egress, url);
  if (problem) throw new RequestRefused(400, 'egress_blocked', problem, 'url');
}

function tooMany(): RequestRefused {
  const message = `A project has ${MAX_WEBHOOK_ENDPOINTS} webhook endpoints at most. Delete an endpoint that is not needed.`;
  return new RequestRefused(409, 'too_many_webhook_endpoints', message);
}
