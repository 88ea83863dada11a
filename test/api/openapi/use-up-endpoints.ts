import { MAX_WEBHOOK_ENDPOINTS } from '#core/checkpoint/webhooks/endpoints.ts';
import type { visitor } from './visitor.ts';

/** As many webhook endpoints as a project may have, and one more; and a delivery to one that is gone. */
export async function useUpEndpoints(ask: ReturnType<typeof visitor>['ask']): Promise<void> {
  const url = 'http://127.0.0.1:9/';
  await ask('POST', '/v1/webhook_endpoints', { body: { url: 'http://10.0.0.1/' } });
  const { id } = await ask<{ id: string }>('POST', '/v1/webhook_endpoints', { body: { url } });
  const { id: turnId } = await ask<{ id: string }>('POST', '/v1/turns', {
    body: { model: 'openai/test', input: 'Hi' },
  });
  await ask('POST', `/v1/turns/${turnId}/cancel`);
  const { data } = await ask<{ data: { id: string }[] }>('GET', `/v1/webhook_endpoints/${id}/deliveries`);
  await ask('PATCH', `/v1/webhook_endpoints/${id}`, { body: { status: 'disabled' } });
  await ask('POST', `/v1/deliveries/${data[0]!.id}/redeliver`);
  for (let number = 1; number <= MAX_WEBHOOK_ENDPOINTS; number += 1) {
    await ask('POST', '/v1/webhook_endpoints', { body: { url } });
  }
}
