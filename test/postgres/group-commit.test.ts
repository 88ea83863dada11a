import { setImmediate as nextTick } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import postgres from 'postgres';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Connection, connect } from '#core/checkpoint/connect.ts';
import { read, write } from '#core/postgres/read-write.ts';
import { isTransient } from '#core/postgres/retry-transient.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';

let connection: Connection;
let other: postgres.Sql;
let db: Kysely<{ note: { id: number; text: string } }>;

beforeEach(async () => {
  const url = await createTestDatabase();
  connection = connect(url);
  other = postgres(url, { max: 4, onnotice: () => {} });
  db = connection.db as never;
  await other`create table note (id int primary key, text text not null)`;
});

afterEach(async () => {
  await connection.close();
  await other.end();
});

test('statements that are ready at the same moment are committed together', async () => {
  const xids = await Promise.all(Array.from({ length: 20 }, (_, id) => insert(id)));

  expect(new Set(xids).size).toBe(1);
  expect(await count()).toBe(20);
});

test('a statement that does not declare its effect is its own transaction', async () => {
  const xids = await Promise.all([1, 2, 3].map((id) => insertion(id).execute(db)));

  expect(new Set(xids.map(({ rows }) => rows[0]?.xid)).size).toBe(3);
});

test('a read is never part of a group commit, with any beginning of its text', async () => {
  const xid = sql<{
    xid: string | null;
  }>`with one as (select 1) select pg_current_xact_id_if_assigned()::text as xid from one`;

  const [inserted, reads] = await Promise.all([insert(1), read(db, xid), insert(2)]);

  expect(inserted).toMatch(/^\d+$/);
  expect(reads).toEqual([{ xid: null }]);
});

test('a single statement is its own transaction', async () => {
  expect(await insert(1)).not.toBe(await insert(2));
});

test('a failing statement does not roll back others in its group', async () => {
  await insert(7);

  const answers = await Promise.allSettled(Array.from({ length: 10 }, (_, id) => insert(id)));

  expect(answers.filter(({ status }) => status === 'rejected')).toMatchObject([{ reason: { code: '23505' } }]);
  expect(answers[7]?.status).toBe('rejected');
  expect(await count()).toBe(10);
});

test('a statement that cannot be sent does not roll back others in its group', async () => {
  const answers = await Promise.allSettled([insert(1), insert(undefined as never), insert(2)]);

  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await count()).toBe(2);
});

test('statements after a statement with a stale plan are not taken for committed', async () => {
  const copy = () => write(db, sql`insert into note select id + ${10}::int, text from note where id < 10 returning *`);
  await insert(1);
  await Promise.all([copy(), insert(2)]);
  await other`alter table note add column more text`;

  const answers = await Promise.allSettled([write(db, sql`delete from note returning *`), insert(3), copy()]);

  expect(answers[1]?.status).toBe('fulfilled');
  expect((await other`select id from note where id = 3`).length).toBe(1);
});

test('a statement with a failing guard does not write, and the others of its group do', async () => {
  const guarded = write(db, sql`update note set text = 'no' where id = 99 returning id`);
  await Promise.all([insert(1), guarded, insert(2)]);

  expect(await guarded).toEqual([]);
  expect(await count()).toBe(2);
});

test('statements that wait for a lock do not delay later statements', async () => {
  await Promise.all([insert(1), insert(2), insert(3)]);
  const unlock = await lockAll();

  const waiting = [];
  for (const id of [1, 2, 3]) {
    waiting.push(write(db, sql`update note set text = 'late' where id = ${id}`));
    await nextTick();
  }
  await insert(4);
  await unlock();

  expect(await Promise.all(waiting)).toHaveLength(3);
});

test('statements on a lost connection are never reported as committed', async () => {
  await insert(1);
  const unlock = await lockAll();

  const writing = [insert(2), write(db, sql`update note set text = 'late' where id = 1`), insert(3)];
  const answers = Promise.allSettled(writing);
  await killWaiting();
  await unlock();

  for (const answer of await answers) expect(answer.status === 'rejected' && isTransient(answer.reason)).toBe(true);
  expect(await count()).toBe(1);
});

async function insert(id: number): Promise<string | undefined> {
  const [row] = await write(db, insertion(id));
  return row?.xid;
}

function insertion(id: number) {
  return sql<{ xid: string }>`
    insert into note (id, text) values (${id}, 'n') returning pg_current_xact_id()::text as xid`;
}

async function count(): Promise<number> {
  const [row] = await other<{ count: number }[]>`select count(*)::int as count from note`;
  return row?.count ?? 0;
}

/** Opens another transaction that locks all rows. */
async function lockAll(): Promise<() => Promise<void>> {
  const holder = await other.reserve();
  await holder`begin`;
  await holder`select id from note for update`;
  return async () => {
    await holder`commit`;
    holder.release();
  };
}

async function killWaiting(): Promise<void> {
  for (;;) {
    const killed = await other`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    if (killed.length > 0) return;
  }
}
