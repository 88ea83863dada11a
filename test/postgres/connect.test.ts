import { sql } from 'kysely';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { connect } from '#core/checkpoint/connect.ts';
import { read, write } from '#core/postgres/read-write.ts';
import { isTransient, retryTransient } from '#core/postgres/retry-transient.ts';
import { newFolder } from '#test/harness/new-folder.ts';
import { openPostgres } from '#test/harness/stores/open-postgres.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';

test('a database is used again after an outage, with any number of failed queries', async () => {
  await using folder = await newFolder('connect');
  await using server = await openPostgres({ folder: folder.path, durable: false });
  const connection = connect(server.url, { shared: 3, own: 1 });
  const ask = () => read(connection.db, sql`select 1`);
  await ask();

  await server.stop();
  const failures = await Promise.allSettled(Array.from({ length: 20 }, ask));
  const again = await Promise.allSettled(Array.from({ length: 20 }, ask));
  await server.start();
  const answers = await Promise.all(Array.from({ length: 20 }, ask));

  const reasons = [...failures, ...again].map(
    (failure) => failure.status === 'rejected' && isTransient(failure.reason),
  );
  expect(reasons.every(Boolean)).toBe(true);
  expect(answers).toHaveLength(20);
  await connection.close();
});

test('connections that are killed repeatedly during any statement are replaced', async () => {
  const url = await createTestDatabase();
  const connection = connect(url, { shared: 2, own: 2 });
  const other = postgres(url, { max: 2, onnotice: () => {} });
  await other`create table note (id serial primary key, text text)`;
  const insert = (text: string) => write(connection.db, sql`insert into note (text) values (${text})`);
  const select = () => read(connection.db, sql`select ${1}::int as one`);

  for (let time = 0; time < 10; time += 1) {
    const writing = [
      insert('a'),
      insert('b'),
      select(),
      sql`insert into note (text) values ('alone')`.execute(connection.db),
      connection.db.transaction().execute((trx) => sql`select 1`.execute(trx)),
    ];
    const answers = Promise.allSettled(writing);
    await other`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pawl'
      and datname = current_database()`;
    for (const answer of await answers) expect(answer.status === 'fulfilled' || isTransient(answer.reason)).toBe(true);
    await retryTransient(() => Promise.all([insert('c'), insert('d'), select()]));
  }
  await connection.close();
  await other.end();
});

test('a transaction begins although single statements never stop arriving', async () => {
  const connection = connect(await createTestDatabase(), { shared: 2, own: 2 });
  const { db } = connection;
  let isOver = false;
  const keepAsking = async () => {
    while (!isOver) await read(db, sql`select pg_sleep(0.01)`);
  };
  const asking = Promise.all(Array.from({ length: 32 }, keepAsking));

  const begun = db.transaction().execute((trx) => sql<{ one: number }>`select 1 as one`.execute(trx));
  const { rows } = await begun;
  isOver = true;
  await asking;

  expect(rows).toEqual([{ one: 1 }]);
  await connection.close();
});
