import type { Db } from '#core/checkpoint/tables.ts';
import { MAX_WEBHOOK_ENDPOINTS } from '#core/checkpoint/webhooks/endpoints.ts';
import { fillSchedules } from '#test/harness/fill-schedules.ts';
import type { Ask } from './visitor.ts';

/** Creates one more webhook endpoint than a project may have, and redelivers to a disabled endpoint. */
export async function useUpEndpoints(ask: Ask): Promise<void> {
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

/** Creates one more schedule than a project may have. */
export async function useUpSchedules(ask: Ask, db: Db): Promise<void> {
  const body = { every_seconds: 60, enabled: false, turn: { model: 'openai/test', input: 'Hi' } };
  const { id } = await ask<{ id: string }>('POST', '/v1/schedules', { body });
  await fillSchedules(db, id, 0);
  await ask('POST', '/v1/schedules', { body });
}
