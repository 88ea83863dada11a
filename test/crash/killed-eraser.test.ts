import { sql } from 'kysely';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { connect } from '#core/checkpoint/connect.ts';
import { eraseHidden } from '#core/checkpoint/deletion/erase-hidden.ts';
import { hideTurn } from '#core/checkpoint/deletion/hide.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { fork, startAlone } from '#test/harness/hidden-turns.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

test('an eraser that is killed in the middle leaves all as it was, and another one erases it', async () => {
  await using harness = await createHarness();
  const origin = await startAlone(harness, {});
  await harness.workUntilIdle();
  const forked = await fork(harness, origin);
  await harness.workUntilIdle();
  for (const id of [origin, forked]) await harness.db.transaction().execute((trx) => hideTurn(trx, 'default', id));
  const before = await countRows();
  const eraser = connect(harness.env.DATABASE_URL, { shared: 1, own: 1 });
  const other = postgres(harness.env.DATABASE_URL, { max: 2, onnotice: () => {} });

  // It has erased the turn's events when it comes to the key that was used, which is locked.
  await other`insert into idempotency_keys (project, path, key, body_hash, resource_id, created_at)
    select project, '/v1/responses', 'key', '', id, created_at from turns where id = ${forked}`;
  const locked = await other.reserve();
  await locked`begin`;
  await locked`select * from idempotency_keys for update`;
  const erasing = eraseHidden(eraser.db, 10).catch((error: unknown) => error);
  await waitUntil(async () =>
    expect(
      await other`select pg_terminate_backend(pid) from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database()`,
    ).toHaveLength(1),
  );
  const broken = await erasing;
  const after = await countRows();
  await locked`rollback`;
  locked.release();
  while ((await eraseHidden(harness.db, 10)) > 0);

  expect(broken).toBeInstanceOf(Error);
  expect(after).toEqual(before);
  expect(await countRows()).toEqual({ turns: 0, rounds: 0, events: 0, conversations: 0 });
  await Promise.all([eraser.close(), other.end()]);

  async function countRows() {
    const { rows } =
      await sql`select (select count(*) from turns)::int as turns, (select count(*) from rounds)::int as rounds,
      (select count(*) from events)::int as events, (select count(*) from conversations)::int as conversations`.execute(
        harness.db,
      );
    return rows[0];
  }
});
