import type { Ask } from './visitor.ts';

/** Counts and cancels turns that match a filter, manages a schedule, and requests the usage of all turns. */
export async function treatMany(ask: Ask): Promise<void> {
  const asking = { action: 'cancel', filter: { status: 'queued,failed', metadata: { of: 'nothing' } } };
  await ask('POST', '/v1/bulk', { body: { ...asking, dry_run: true } });
  const { id } = await ask<{ id: string }>('POST', '/v1/bulk', {
    body: asking,
    headers: { 'idempotency-key': 'many' },
  });
  await ask('POST', '/v1/bulk', { body: asking, headers: { 'idempotency-key': 'many' } });
  await ask('GET', `/v1/bulk/${id}`);
  const planned = { every_seconds: 3_600, turn: { model: 'sim/demo', input: 'Hi' } };
  const schedule = await ask<{ id: string }>('POST', '/v1/schedules', {
    body: planned,
    headers: { 'idempotency-key': 'schedule' },
  });
  await ask('POST', '/v1/schedules', { body: planned, headers: { 'idempotency-key': 'schedule' } });
  await ask('GET', '/v1/schedules');
  await ask('GET', `/v1/schedules/${schedule.id}`);
  await ask('PATCH', `/v1/schedules/${schedule.id}`, { body: { cron: '0 9 * * 1-5', time_zone: 'Europe/Zurich' } });
  await ask('DELETE', `/v1/schedules/${schedule.id}`);
  await ask('GET', '/v1/usage');
  await ask('GET', '/v1/usage?from=2020-01-01&group_by=day,project,model,key');
}
