import { sql } from 'kysely';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { connect } from '#core/checkpoint/connect.ts';
import { eraseAged } from '#core/checkpoint/deletion/erase-aged.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const AGED = { project: 'default', days: 7, after: '' };

test('a sweep that is killed in the middle of a portion leaves all as it was, and another one erases it', async () => {
  await using harness = await createHarness();
  for (const input of ['one', 'two']) await harness.startTurn({ input });
  await harness.workUntilIdle();
  await sql`update turns set completed_at = completed_at - interval '8 days'`.execute(harness.db);
  const before = await countRows();
  const sweeper = connect(harness.env.DATABASE_URL, { shared: 1, own: 1 });
  const other = postgres(harness.env.DATABASE_URL, { max: 2, onnotice: () => {} });

  // It comes to the events of the turns that it deletes, of which one is locked.
  const locked = await other.reserve();
  await locked`begin`;
  await locked`select * from events for update`;
  const sweeping = eraseAged(sweeper.db, AGED).catch((error: unknown) => error);
  await waitUntil(async () =>
    expect(
      await other`select pg_terminate_backend(pid) from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database()`,
    ).toHaveLength(1),
  );
  const broken = await sweeping;
  const after = await countRows();
  await locked`rollback`;
  locked.release();
  const again = await eraseAged(harness.db, AGED);

  expect(broken).toBeInstanceOf(Error);
  expect(after).toEqual(before);
  expect(again.turnIds).toHaveLength(2);
  expect(await countRows()).toEqual({ turns: 0, rounds: 0, events: 0, conversations: 0 });
  await Promise.all([sweeper.close(), other.end()]);

  async function countRows() {
    const { rows } =
      await sql`select (select count(*) from turns)::int as turns, (select count(*) from rounds)::int as rounds,
      (select count(*) from events)::int as events, (select count(*) from conversations)::int as conversations`.execute(
        harness.db,
      );
    return rows[0];
  }
});
