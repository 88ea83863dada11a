import { sql } from 'kysely';
import postgres from 'postgres';
import { expect } from 'vitest';
import { connect } from '#core/checkpoint/connect.ts';
import { eraseAged } from '#core/checkpoint/deletion/erase-aged.ts';
import { eraseHidden } from '#core/checkpoint/deletion/erase-hidden.ts';
import { hideTurn } from '#core/checkpoint/deletion/hide.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { fork, startAlone } from '#test/harness/hidden-turns.ts';
import { test } from '#test/harness/test.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

type Work<State> = {
  /** The statement that locks a row that the work reaches in its middle. */
  lock: string;
  work(db: Db): Promise<unknown>;
  look(): Promise<State>;
};

/** Kills work that waits for a lock. Returns its error, and the state before the lock is released. */
async function killAtLock<State>({ env }: Harness, { lock, work, look }: Work<State>) {
  const killed = connect(env.DATABASE_URL, { shared: 1, own: 1 });
  const other = postgres(env.DATABASE_URL, { max: 2, onnotice: () => {} });
  const locked = await other.reserve();
  await locked`begin`;
  await locked.unsafe(lock);

  const working = work(killed.db).catch((error: unknown) => error);
  const kill = () => other`select pg_terminate_backend(pid) from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database()`;
  await waitUntil(async () => expect(await kill()).toHaveLength(1));
  const error = await working;
  const after = await look();

  await locked`rollback`;
  locked.release();
  await Promise.all([killed.close(), other.end()]);
  return { error, after };
}

async function countRows({ db }: Harness) {
  const { rows } = await sql`select (select count(*) from turns)::int as turns,
    (select count(*) from rounds)::int as rounds, (select count(*) from events)::int as events,
    (select count(*) from conversations)::int as conversations`.execute(db);
  return rows[0];
}

const NO_ROWS = { turns: 0, rounds: 0, events: 0, conversations: 0 };

test('an eraser killed in the middle changes no row, and another eraser finishes', async ({ harness }) => {
  const origin = await startAlone(harness, {});
  await harness.workUntilIdle();
  const forked = await fork(harness, origin);
  await harness.workUntilIdle();
  for (const id of [origin, forked]) await harness.db.transaction().execute((trx) => hideTurn(trx, 'default', id));
  await sql`insert into idempotency_keys (project, path, key, body_hash, resource_id, created_at)
    select project, '/v1/responses', 'key', '', id, created_at from turns where id = ${forked}`.execute(harness.db);
  const before = await countRows(harness);

  const { error, after } = await killAtLock(harness, {
    // The eraser has erased the events of the turn before it reaches the key.
    lock: 'select * from idempotency_keys for update',
    work: (db) => eraseHidden(db, 10),
    look: () => countRows(harness),
  });
  while ((await eraseHidden(harness.db, 10)) > 0);

  expect(error).toBeInstanceOf(Error);
  expect(after).toEqual(before);
  expect(await countRows(harness)).toEqual(NO_ROWS);
});

test('a sweep killed in a batch changes no row, and another sweep finishes', async ({ harness }) => {
  for (const input of ['one', 'two']) await harness.startTurn({ input });
  await harness.workUntilIdle();
  await sql`update turns set completed_at = completed_at - interval '8 days'`.execute(harness.db);
  const sweep = (db: Db) => eraseAged(db, { project: 'default', days: 7, after: '' });
  const before = await countRows(harness);

  const { error, after } = await killAtLock(harness, {
    // The sweep reaches the events of the turns that it deletes.
    lock: 'select * from events for update',
    work: sweep,
    look: () => countRows(harness),
  });
  const again = await sweep(harness.db);

  expect(error).toBeInstanceOf(Error);
  expect(after).toEqual(before);
  expect(again.turnIds).toHaveLength(2);
  expect(await countRows(harness)).toEqual(NO_ROWS);
});
