import { setImmediate as nextTick } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import postgres from 'postgres';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Connection, connect } from '#core/checkpoint/connect.ts';
import { isPassing } from '#core/checkpoint/persist.ts';
import { createTestDatabase } from '#test/world/test-database.ts';

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

test('statements that are ready at the same moment are one transaction', async () => {
  const xids = await Promise.all(Array.from({ length: 20 }, (_, id) => write(id)));

  expect(new Set(xids).size).toBe(1);
  expect(await count()).toBe(20);
});

test('one that comes alone goes alone', async () => {
  expect(await write(1)).not.toBe(await write(2));
});

test('one that breaks takes no other along', async () => {
  await write(7);

  const answers = await Promise.allSettled(Array.from({ length: 10 }, (_, id) => write(id)));

  expect(answers.filter(({ status }) => status === 'rejected')).toMatchObject([{ reason: { code: '23505' } }]);
  expect(answers[7]?.status).toBe('rejected');
  expect(await count()).toBe(10);
});

test('one that cannot even be sent takes no other along', async () => {
  const answers = await Promise.allSettled([write(1), write(undefined as never), write(2)]);

  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await count()).toBe(2);
});

test('statements behind one that Postgres wants planned anew are not taken for committed', async () => {
  const read = () => sql`insert into note select id + ${10}::int, text from note where id < 10 returning *`.execute(db);
  await write(1);
  await Promise.all([read(), write(2)]);
  await other`alter table note add column more text`;

  const answers = await Promise.allSettled([sql`delete from note returning *`.execute(db), write(3), read()]);

  expect(answers[1]?.status).toBe('fulfilled');
  expect((await other`select id from note where id = 3`).length).toBe(1);
});

test('one whose guard fails writes nothing, and the others do', async () => {
  const guarded = sql`update note set text = 'no' where id = 99`.execute(db);
  await Promise.all([write(1), guarded, write(2)]);

  expect((await guarded).numAffectedRows).toBe(0n);
  expect(await count()).toBe(2);
});

test('those that wait for a lock hold up nobody who comes later', async () => {
  await Promise.all([write(1), write(2), write(3)]);
  const unlock = await lockAll();

  const waiting = [];
  for (const id of [1, 2, 3]) {
    waiting.push(sql`update note set text = 'late' where id = ${id}`.execute(db));
    await nextTick();
  }
  await write(4);
  await unlock();

  expect(await Promise.all(waiting)).toHaveLength(3);
});

test('of statements whose connection is lost, nobody is told that they were committed', async () => {
  await write(1);
  const unlock = await lockAll();

  const writing = [write(2), sql`update note set text = 'late' where id = 1`.execute(db), write(3)];
  const answers = Promise.allSettled(writing);
  await killWhoWaits();
  await unlock();

  for (const answer of await answers) expect(answer.status === 'rejected' && isPassing(answer.reason)).toBe(true);
  expect(await count()).toBe(1);
});

async function write(id: number): Promise<string | undefined> {
  const { rows } = await sql<{ xid: string }>`
    insert into note (id, text) values (${id}, 'n') returning pg_current_xact_id()::text as xid`.execute(db);
  return rows[0]?.xid;
}

async function count(): Promise<number> {
  const [row] = await other<{ count: number }[]>`select count(*)::int as count from note`;
  return row?.count ?? 0;
}

/** Somebody else's transaction on all there is. */
async function lockAll(): Promise<() => Promise<void>> {
  const holder = await other.reserve();
  await holder`begin`;
  await holder`select id from note for update`;
  return async () => {
    await holder`commit`;
    holder.release();
  };
}

async function killWhoWaits(): Promise<void> {
  for (;;) {
    const killed = await other`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    if (killed.length > 0) return;
  }
}
