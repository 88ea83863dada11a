import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import type { apiClient } from './api-client.ts';
import type { ReceivedRequest } from './servers/external-server.ts';

type Client = Pick<ReturnType<typeof apiClient>, 'call'>;

export type Endpoint = { id: string; url: string; status: string; disabled_reason: string | null; secrets: string[] };

export type ReceivedEvent = {
  id: string;
  object: string;
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
};

export type Delivery = {
  id: string;
  event_id: string;
  type: string;
  url: string;
  status: string;
  attempts: number;
  last_error: string | null;
};

export async function createEndpoint({ call }: Client, url: string, more: object = {}): Promise<Endpoint> {
  const { status, body } = await call<Endpoint>('POST', '/v1/webhook_endpoints', { body: { url, ...more } });
  expect([status, body]).toMatchObject([201, { object: 'webhook_endpoint', url }]);
  return body;
}

/** Returns an endpoint in its present state. */
export async function findEndpoint({ call }: Client, { id }: Pick<Endpoint, 'id'>): Promise<Endpoint> {
  return (await call<Endpoint>('GET', `/v1/webhook_endpoints/${id}`)).body;
}

/** Returns the deliveries to an endpoint, newest first. */
export async function deliveriesTo({ call }: Client, id: string, query = ''): Promise<Delivery[]> {
  return (await call<{ data: Delivery[] }>('GET', `/v1/webhook_endpoints/${id}/deliveries${query}`)).body.data;
}

/** Returns the event of a webhook, verified with the public library. Throws if the secret does not fit. */
export function verified({ headers, body }: ReceivedRequest, secret: string): ReceivedEvent {
  const event = new Webhook(secret).verify(body, headers as Record<string, string>) as ReceivedEvent;
  expect(headers['webhook-id']).toBe(event.id);
  return event;
}
