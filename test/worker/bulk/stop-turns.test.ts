import { sql } from 'kysely';
import { expect } from 'vitest';
import { stopBulkTurns } from '#core/checkpoint/bulk/stop-turns.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';
import { test } from '#test/harness/test.ts';

type Bulk = Record<'matched' | 'done' | 'failed' | 'left', number> & { id: string; status: string };

const cancelQueued = { action: 'cancel', filter: { status: 'queued' } };

async function startMany(harness: Harness, count: number, request: object = { input: 'Hi' }) {
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) ids.push((await harness.startTurn({ ...request })).id);
  return ids;
}

async function create(harness: Harness, body: object): Promise<string> {
  return (await harness.call<Bulk>('POST', '/v1/bulk', { body })).body.id;
}

describeQueue(({ redis }) => {
  test('a cancelling bulk lets no turn begin that has not begun when the bulk starts', async () => {
    await using harness = await createHarness({ redis });
    const first = await harness.startTurn({ input: 'One' });
    const path = `/v1/conversations/${first.conversation_id}/turns`;
    await harness.call('POST', path, { body: { input: 'Two' } });
    await startMany(harness, 4);
    const id = await create(harness, cancelQueued);

    while (await stopBulkTurns(harness.db, 2));
    await harness.workUntilIdle();
    await harness.rescue();
    await harness.workUntilIdle();
    const meanwhile = await statuses(harness);
    await harness.workBulks();

    expect(meanwhile).toEqual({ queued: 6 });
    expect(harness.modelRequests).toEqual([]);
    const { body } = await harness.call<Bulk>('GET', `/v1/bulk/${id}`);
    expect(body).toMatchObject({ matched: 6, done: 6, left: 0, status: 'completed' });
    expect(await statuses(harness)).toEqual({ cancelled: 6 });
  });
});

test('a turn that a bulk stopped does not begin as the head or at its start time', async ({ harness }) => {
  const first = await harness.startTurn({ input: scripted({ rounds: [{ tools: [] }] }), metadata: { of: 'others' } });
  const path = `/v1/conversations/${first.conversation_id}/turns`;
  await harness.call('POST', path, { body: { input: 'Two', metadata: { of: 'bulk' } } });
  await harness.startTurn({ input: 'Later', delay_seconds: 60, metadata: { of: 'bulk' } });
  await create(harness, { action: 'cancel', filter: { metadata: { of: 'bulk' } } });
  await stopBulkTurns(harness.db);

  await harness.workUntilIdle();
  await harness.advance(61_000);
  await harness.queueDelayed();
  await harness.rescue();
  await harness.workUntilIdle();

  expect((await harness.findTurn(first.id)).status).not.toBe('queued');
  expect((await statuses(harness)).queued).toBe(2);
  await harness.workBulks();
  expect((await statuses(harness)).cancelled).toBe(2);
});

test('a turn that a bulk skips or fails to cancel begins while the bulk stops others', async () => {
  await using harness = await createHarness({ env: { DATABASE_URL: await createTestDatabase() } });
  const [failing = ''] = await startMany(harness, 1, { input: 'Hi', metadata: { of: 'bulk' } });
  const [other = ''] = await startMany(harness, 1);
  await create(harness, { action: 'cancel', filter: { metadata: { of: 'bulk' } } });
  await stopBulkTurns(harness.db);
  await sql`create function refuse() returns trigger language plpgsql as 'begin raise exception ''no''; end'`.execute(
    harness.db,
  );
  await sql`create trigger refuse before update on turns for each row when (new.status = 'cancelled') execute function refuse()`.execute(
    harness.db,
  );

  await harness.workBulks();
  // If no turn needs a slot, an admission checks every fourth tick.
  for (let tick = 0; tick < 4; tick += 1) await harness.admit();
  await harness.workUntilIdle();

  expect((await harness.findTurn(other)).status).toBe('completed');
  expect((await harness.findTurn(failing)).status).toBe('completed');
});

async function statuses({ db }: Harness): Promise<Record<string, number>> {
  const { rows } = await sql<{ status: string; number: number }>`
    select status, count(*)::int as number from turn_states group by status`.execute(db);
  return Object.fromEntries(rows.map(({ status, number }) => [status, number]));
}
