import { sql } from 'kysely';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { connect } from '#core/checkpoint/connect.ts';
import { isPassing, persist } from '#core/checkpoint/persist.ts';
import { findFreePort } from '#services/standalone/embedded-postgres/find-free-port.ts';
import { startPostgres } from '#services/standalone/embedded-postgres/start-postgres.ts';
import { newFolder } from '#test/world/new-folder.ts';
import { createTestDatabase } from '#test/world/test-database.ts';

test('a database that was away is found again, however many queries failed meanwhile', async () => {
  await using folder = await newFolder('connect');
  const dataDir = folder.path;
  const port = await findFreePort();
  const first = await startPostgres({ dataDir, port, durable: false });
  const connection = connect(first.url, { shared: 3, own: 1 });
  const ask = () => sql`select 1`.execute(connection.db);
  await ask();

  await first.stop();
  const failures = await Promise.allSettled(Array.from({ length: 20 }, ask));
  const again = await Promise.allSettled(Array.from({ length: 20 }, ask));
  const second = await startPostgres({ dataDir, port, durable: false });
  const answers = await Promise.all(Array.from({ length: 20 }, ask));

  const reasons = [...failures, ...again].map((failure) => failure.status === 'rejected' && isPassing(failure.reason));
  expect(reasons.every(Boolean)).toBe(true);
  expect(answers).toHaveLength(20);
  await connection.close();
  await second.stop();
});

test('connections that are killed again and again, in the middle of whatever they do, are replaced', async () => {
  const url = await createTestDatabase();
  const connection = connect(url, { shared: 2, own: 2 });
  const other = postgres(url, { max: 2, onnotice: () => {} });
  await other`create table note (id serial primary key, text text)`;
  const write = (text: string) => sql`insert into note (text) values (${text})`.execute(connection.db);
  const read = () => sql`select ${1}::int as one`.execute(connection.db);

  for (let time = 0; time < 10; time += 1) {
    const writing = [
      write('a'),
      write('b'),
      read(),
      connection.db.transaction().execute((trx) => sql`select 1`.execute(trx)),
    ];
    const answers = Promise.allSettled(writing);
    await other`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pawl'
      and datname = current_database()`;
    for (const answer of await answers) expect(answer.status === 'fulfilled' || isPassing(answer.reason)).toBe(true);
    await persist(() => Promise.all([write('c'), write('d'), read()]));
  }
  await connection.close();
  await other.end();
});

test('a transaction begins although single statements never stop coming', async () => {
  const connection = connect(await createTestDatabase(), { shared: 2, own: 2 });
  const { db } = connection;
  let isOver = false;
  const keepAsking = async () => {
    while (!isOver) await sql`select pg_sleep(0.01)`.execute(db);
  };
  const asking = Promise.all(Array.from({ length: 32 }, keepAsking));

  const begun = db.transaction().execute((trx) => sql<{ one: number }>`select 1 as one`.execute(trx));
  const { rows } = await begun;
  isOver = true;
  await asking;

  expect(rows).toEqual([{ one: 1 }]);
  await connection.close();
});
