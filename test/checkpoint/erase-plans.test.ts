import { sql } from 'kysely';
import { expect } from 'vitest';
import { connect } from '#core/checkpoint/connect.ts';
import { deleteTurn } from '#core/checkpoint/deletion/delete-turn.ts';
import { eraseAged } from '#core/checkpoint/deletion/erase-aged.ts';
import { eraseExpired } from '#core/checkpoint/deletion/erase-expired.ts';
import { eraseHidden } from '#core/checkpoint/deletion/erase-hidden.ts';
import { eraseUnused } from '#core/checkpoint/deletion/erase-unused.ts';
import { hideTurn } from '#core/checkpoint/deletion/hide.ts';
import { listProjects } from '#core/checkpoint/deletion/list-projects.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { test } from '#test/harness/test.ts';

const TABLES = ['turns', 'work', 'conversations', 'idempotency_keys'];
const MANY = 20_000;
const ACTIVE = 2_000;

test('hidden and erased turns are found by indexes among any number of turns', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: 'Hi' });
  await harness.workUntilIdle();
  await addMany(harness.db, id);
  const { db, close } = connect(harness.env.DATABASE_URL, { shared: 1, own: 1 });

  const before = await countScans(db);
  await db.transaction().execute((trx) => hideTurn(trx, 'default', id));
  while ((await eraseHidden(db, 100)) > 0);
  const after = await countScans(db);

  const { rows } = await sql<{
    count: number;
  }>`select count(*)::int as count from turns where completed_at is not null`.execute(db);
  await close();
  expect(rows[0]?.count).toBe(MANY);
  expect(after).toEqual(before);
});

test('old, expired and deleted turns are found by indexes', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: 'Hi' });
  const other = await harness.startTurn({ input: 'Hi' });
  const kept = await harness.startTurn({ input: 'Hi' });
  await harness.workUntilIdle();
  await addMany(harness.db, kept.id);
  const { db, close } = connect(harness.env.DATABASE_URL, { shared: 1, own: 1 });
  await sql`update turns set completed_at = now() - interval '8 days', created_at = now() - interval '8 days' where id = ${id}`.execute(
    db,
  );
  await sql`update conversations set config = '{"expires_in_seconds": 1}', created_at = now() - interval '1 day'
    where id = 'conv_5'`.execute(db);
  await sql`update turns set completed_at = now() - interval '1 day' where id = 'turn_5'`.execute(db);

  const before = await countScans(db);
  const { turnIds } = await eraseAged(db, { project: 'default', days: 7, after: '' });
  const expired = await eraseExpired(db);
  await eraseUnused(db, { project: 'default', days: 7, after: '' });
  await listProjects(db);
  await db.transaction().execute((trx) => deleteTurn(trx, 'default', other.id));
  const after = await countScans(db);

  await close();
  expect([turnIds, expired.turnIds]).toEqual([[id], ['turn_5']]);
  expect(after).toEqual(before);
});

/**
 * Adds ended turns in separate conversations, each created with a key. A tenth of the turns is deleted, but kept by a
 * fork. Another conversation has active turns.
 */
async function addMany(db: Db, id: string): Promise<void> {
  await sql`insert into conversations (id, project, config, metadata, turns, forked_from)
    select 'conv_' || n, 'default', '{}', '{}', 1, case when n % 10 = 1 then 'turn_' || n - 1 end
    from generate_series(1, ${MANY}) as n`.execute(db);
  await sql`insert into turns (id, project, conversation_id, position, priority, config, input, metadata, status,
      output, completed_at, created_at, hidden_at, history_until)
    select 'turn_' || n, project, 'conv_' || n, 1, priority, config, input, metadata, status, '', now(),
      now() - n * interval '1 second', case when n % 10 = 0 then now() end, case when n % 10 = 0 then 1 end
    from turns, generate_series(1, ${MANY}) as n where id = ${id}`.execute(db);
  await sql`insert into conversations (id, project, config, metadata) values ('conv_active', 'default', '{}', '{}')`.execute(
    db,
  );
  await sql`insert into turns (id, project, conversation_id, position, priority, config, input, metadata)
    select 'turn_zz_' || n, project, 'conv_active', n, priority, config, input, metadata
    from turns, generate_series(1, ${ACTIVE}) as n where id = ${id}`.execute(db);
  await sql`insert into work (id, project, conversation_id, position, priority, stored, at_head, provider, model, due_at)
    select id, project, conversation_id, position, priority, stored, false, 'openai', 'openai/test', 'infinity'
    from turns where completed_at is null`.execute(db);
  await sql`insert into idempotency_keys (project, path, key, body_hash, resource_id, created_at)
    select project, '/v1/turns', id, '', id, created_at from turns`.execute(db);
  for (const table of TABLES) await sql`analyze ${sql.table(table)}`.execute(db);
}

async function countScans(db: Db): Promise<Record<string, number>> {
  await db.transaction().execute((trx) => sql`select pg_stat_force_next_flush()`.execute(trx));
  const { rows } = await db.transaction().execute((trx) =>
    sql<{ name: string; scans: number }>`
      select relname as name, seq_scan::int as scans from pg_stat_user_tables where schemaname = 'public'`.execute(trx),
  );
  return Object.fromEntries(rows.filter(({ name }) => TABLES.includes(name)).map(({ name, scans }) => [name, scans]));
}
