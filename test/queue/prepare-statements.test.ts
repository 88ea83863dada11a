import pg from 'pg';
import { expect, test } from 'vitest';
import { prepareStatements } from '#core/queue/prepare-statements.ts';
import { createTestDatabase } from '#test/world/test-database.ts';

async function openTestPool() {
  const pool = new pg.Pool({ connectionString: await createTestDatabase(), max: 1 });
  prepareStatements(pool);
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.end() });
}

const PREPARED = "select statement from pg_prepared_statements where statement like '%job%' order by 1";

test('each statement with values is prepared once on a connection', async () => {
  await using pool = await openTestPool();

  for (const id of ['one', 'two']) {
    const { rows } = await pool.query('select $1::text as job', [id]);
    expect(rows).toEqual([{ job: id }]);
  }

  expect((await pool.query(PREPARED)).rows).toEqual([{ statement: 'select $1::text as job' }]);
});

test('a statement whose answer has changed its columns is prepared anew', async () => {
  await using pool = await openTestPool();
  await pool.query('create table jobs (id text)');
  const find = () => pool.query('select * from jobs where id = $1', ['one']);
  await find();

  await pool.query("alter table jobs add name text default 'unknown'");
  await pool.query("insert into jobs values ('one')");

  expect((await find()).rows).toEqual([{ id: 'one', name: 'unknown' }]);
  expect((await find()).rows).toEqual([{ id: 'one', name: 'unknown' }]);
});

test('any other error is told as it is', async () => {
  await using pool = await openTestPool();

  await expect(pool.query('select $1::int', ['no number'])).rejects.toMatchObject({ code: '22P02' });
});
