import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import type { apiClient } from './api-client.ts';
import type { Caught } from './stranger.ts';

type Client = Pick<ReturnType<typeof apiClient>, 'call'>;

/** An endpoint as its creator sees it. */
export type Endpoint = { id: string; url: string; status: string; disabled_reason: string | null; secrets: string[] };

/** An event as a receiver reads it. */
export type Told = { id: string; object: string; type: string; timestamp: string; data: Record<string, unknown> };

export type Delivery = {
  id: string;
  event_id: string;
  type: string;
  url: string;
  status: string;
  attempts: number;
  last_error: string | null;
};

/** Creates a webhook endpoint at `url`. */
export async function createEndpoint({ call }: Client, url: string, more: object = {}): Promise<Endpoint> {
  const { status, body } = await call<Endpoint>('POST', '/v1/webhook_endpoints', { body: { url, ...more } });
  expect([status, body]).toMatchObject([201, { object: 'webhook_endpoint', url }]);
  return body;
}

/** An endpoint as it is now. */
export async function findEndpoint({ call }: Client, { id }: Pick<Endpoint, 'id'>): Promise<Endpoint> {
  return (await call<Endpoint>('GET', `/v1/webhook_endpoints/${id}`)).body;
}

/** What was, or is to be, sent to an endpoint, newest first. */
export async function deliveriesTo({ call }: Client, id: string, query = ''): Promise<Delivery[]> {
  return (await call<{ data: Delivery[] }>('GET', `/v1/webhook_endpoints/${id}/deliveries${query}`)).body.data;
}

/** What a webhook tells, checked with the public library as any receiver does it; throws where the secret does not fit. */
export function verified({ headers, body }: Caught, secret: string): Told {
  const told = new Webhook(secret).verify(body, headers as Record<string, string>) as Told;
  expect(headers['webhook-id']).toBe(told.id);
  return told;
}
