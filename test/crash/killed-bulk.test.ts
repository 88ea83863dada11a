import postgres from 'postgres';
import { expect, test } from 'vitest';
import { connect } from '#core/checkpoint/connect.ts';
import { workBulks } from '#services/worker/bulk/work-bulks.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

type Bulk = { id: string } & Record<'matched' | 'done' | 'failed' | 'left', number>;

test('a worker killed within a bulk leaves its turn unchanged, and another treats it', async () => {
  await using harness = await createHarness();
  const ids: string[] = [];
  for (let number = 0; number < 6; number += 1) ids.push((await harness.startTurn({ input: 'Hi' })).id);
  const body = { action: 'cancel', filter: { status: 'queued' } };
  const { body: bulk } = await harness.call<Bulk>('POST', '/v1/bulk', { body });
  const read = async () => (await harness.call<Bulk>('GET', `/v1/bulk/${bulk.id}`)).body;
  const killed = connect(harness.env.DATABASE_URL, { shared: 4, own: 4 });
  const other = postgres(harness.env.DATABASE_URL, { max: 2, onnotice: () => {} });

  // The worker waits for one turn's locked conversation, after it has treated the other turns.
  const locked = await other.reserve();
  await locked`begin`;
  await locked`select from conversations where id = (select conversation_id from turns where id = ${ids[2]!}) for update`;
  const working = workBulks({ ...harness.worker, db: killed.db }).catch((error: unknown) => error);
  await waitUntil(async () => expect((await read()).left).toBe(1));
  await other`select pg_terminate_backend(pid) from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database()`;
  const broken = await working;
  const after = await read();
  await locked`rollback`;
  locked.release();
  await other`update bulks set due_at = due_at - interval '1 minute'`;
  await harness.workBulks();

  expect(broken).toBeInstanceOf(Error);
  expect(after).toMatchObject({ status: 'in_progress', matched: 6, done: 5, failed: 0, left: 1 });
  expect(await read()).toMatchObject({ status: 'completed', matched: 6, done: 6, failed: 0, left: 0 });
  for (const id of ids) {
    const events = await harness.listEvents(id);
    expect(events.filter(({ type }) => type === 'turn.cancelled')).toHaveLength(1);
  }
  await Promise.all([killed.close(), other.end()]);
});
