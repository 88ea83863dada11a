import { type RawBuilder, sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '#core/checkpoint/connect.ts';
import { readPooler } from '#core/postgres/hosts.ts';
import { read, write } from '#core/postgres/read-write.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';

/** Connects to PostgreSQL as if it were behind a pooler: no settings are sent when a session opens. */
async function openPooled() {
  const { db, close } = connect(`${await createTestDatabase()}?pgbouncer=true`, { shared: 1, own: 1 });
  onTestFinished(close);
  return db;
}

type Bounds = { statement: string; lock: string; idle: string; scan: string; commit: string };

const bounds = sql<Bounds>`select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
  current_setting('idle_in_transaction_session_timeout') as idle, current_setting('enable_seqscan') as scan,
  current_setting('synchronous_commit') as commit`;

test('each statement behind a pooler sends its own bounds, in each kind of run', async () => {
  const db = await openPooled();
  const all = { statement: '15s', lock: '4s', idle: '5s', scan: 'off', commit: 'on' };

  const reading = await read(db, bounds);
  const writing = await write(db, bounds);
  const together = await Promise.all([write(db, bounds), write(db, sql`select ${1}::int as one`)]);
  const alone = (await bounds.execute(db)).rows;
  const inTransaction = await db.transaction().execute(async (trx) => (await bounds.execute(trx)).rows);

  for (const rows of [reading, writing, alone, inTransaction]) expect(rows).toEqual([all]);
  expect(together).toEqual([[{ ...all, lock: '250ms' }], [{ one: 1 }]]);
});

test('no statement is prepared behind a pooler', async () => {
  const db = await openPooled();
  const count = sql<{ count: number }>`select count(*)::int from pg_prepared_statements where ${true}`;

  const counts = [await read(db, count), await write(db, count), await write(db, count)];

  expect(counts.flat()).toEqual([{ count: 0 }, { count: 0 }, { count: 0 }]);
});

test('a failing statement or commit behind a pooler is rolled back and reported', async () => {
  const db = await openPooled();
  await sql`create table note (id int primary key, before int references note deferrable initially deferred)`.execute(
    db,
  );
  const insert = (id: number, before: number | null): RawBuilder<unknown> =>
    sql`insert into note values (${id}::int, ${before}::int)`;

  await write(db, insert(1, null));
  const repeated = await write(db, insert(1, null)).catch((error: unknown) => error);
  const dangling = await write(db, insert(2, 9)).catch((error: unknown) => error);
  await write(db, insert(3, 1));

  expect(repeated).toMatchObject({ code: '23505' });
  expect(dangling).toMatchObject({ code: '23503' });
  expect(await read(db, sql`select id from note order by id`)).toEqual([{ id: 1 }, { id: 3 }]);
});

const NONE = { isPooled: false, prepares: true };
const POOLER = { isPooled: true, prepares: false };
const PREPARING = { isPooled: true, prepares: true };

test.each([
  ['postgres://a/pawl', { url: 'postgres://a/pawl', ...NONE }],
  ['postgres://a/pawl?pgbouncer=true', { url: 'postgres://a/pawl', ...POOLER }],
  ['postgres://a,b/pawl?ssl=require&pgbouncer=true', { url: 'postgres://a,b/pawl?ssl=require', ...POOLER }],
  ['postgres://a/pawl?pgbouncer=true&ssl=require', { url: 'postgres://a/pawl?ssl=require', ...POOLER }],
  ['postgres://a/pawl?pgbouncer=true&prepared_statements=true', { url: 'postgres://a/pawl', ...PREPARING }],
  [
    'postgres://a/pawl?prepared_statements=true&ssl=require&pgbouncer=true',
    { url: 'postgres://a/pawl?ssl=require', ...PREPARING },
  ],
  ['postgres://a/pawl?pgbouncer=false&ssl=require', { url: 'postgres://a/pawl?ssl=require', ...NONE }],
])('%s declares the features of a pooler, and the drivers do not see it', (given, read) => {
  expect(readPooler(given)).toEqual(read);
});
