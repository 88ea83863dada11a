import { once } from 'node:events';
import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises';
import pg from 'pg';
import { test as base, expect } from 'vitest';
import { patchPool } from '#core/queue/postgres/patch-pool.ts';
import { opening } from '#test/harness/opening.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';

async function openTestPool({ max = 1, ...more }: pg.PoolConfig = {}) {
  const pool = new pg.Pool({ connectionString: await createTestDatabase(), max, ...more });
  patchPool(pool);
  const ends: Promise<unknown>[] = [];
  pool.on('connect', (client) => ends.push(once(client, 'end')));
  // `pool.end()` does not wait for its connections. The later drop of the database would end the remaining
  // connections.
  const close = async () => {
    await pool.end();
    await Promise.all(ends);
  };
  return Object.assign(pool, { [Symbol.asyncDispose]: close });
}

const PREPARED = "select statement from pg_prepared_statements where statement like '%job%' order by 1";

const test = base.extend('pool', opening(openTestPool));

test('each statement with values is prepared once on a connection', async ({ pool }) => {
  for (const id of ['one', 'two']) {
    const { rows } = await pool.query('select $1::text as job', [id]);
    expect(rows).toEqual([{ job: id }]);
  }

  expect((await pool.query(PREPARED)).rows).toEqual([{ statement: 'select $1::text as job' }]);
});

test('a statement with changed columns is prepared again', async ({ pool }) => {
  await pool.query('create table jobs (id text)');
  const find = () => pool.query('select * from jobs where id = $1', ['one']);
  await find();

  await pool.query("alter table jobs add name text default 'unknown'");
  await pool.query("insert into jobs values ('one')");

  expect((await find()).rows).toEqual([{ id: 'one', name: 'unknown' }]);
  expect((await find()).rows).toEqual([{ id: 'one', name: 'unknown' }]);
});

test('any other error reaches the caller unchanged', async ({ pool }) => {
  await expect(pool.query('select $1::int', ['no number'])).rejects.toMatchObject({ code: '22P02' });
});

const TAKE = '-- Takes $1.\nselect pg_current_xact_id()::text as xid, $1::int as id, $2::text as note;\n';

test('concurrent statements with equal text are one transaction, with their own rows', async () => {
  await using pool = await openTestPool({ max: 4 });

  const queries = ['a', 'b', 'c', 'd', 'e'].map((note, id) => pool.query(TAKE, [id, note]));
  const answers = await Promise.all(queries);

  expect(answers.map(({ rows, rowCount }) => [rows[0]?.id, rows[0]?.note, rowCount])).toEqual([
    [0, 'a', 1],
    [1, 'b', 1],
    [2, 'c', 1],
    [3, 'd', 1],
    [4, 'e', 1],
  ]);
  expect(new Set(answers.map(({ rows }) => rows[0]?.xid)).size).toBe(1);
});

test.for(["select $1::int as id, nextval('runs') as run", "select $1::int as id, * from nextval('runs') as run"])(
  'slots without a statement are not run: %s',
  async (run, { pool }) => {
    await pool.query('create sequence runs');

    const answers = await Promise.all([1, 2, 3, 4, 5].map((id) => pool.query(run, [id])));

    expect(answers.map(({ rows }) => rows)).toEqual([1, 2, 3, 4, 5].map((id) => [{ id, run: String(id) }]));
    expect((await pool.query('select last_value from runs')).rows).toEqual([{ last_value: '5' }]);
  },
);

test('a statement without rows and a statement with many rows get their own rows', async ({ pool }) => {
  const counts = [0, 3, 1].map((most) => pool.query('select job from generate_series(1, $1) as job', [most]));

  expect((await Promise.all(counts)).map(({ rows }) => rows)).toEqual([
    [],
    [{ job: 1 }, { job: 2 }, { job: 3 }],
    [{ job: 1 }],
  ]);
});

test('if a statement is refused, the others are repeated, and each takes effect once', async () => {
  await using pool = await openTestPool({ max: 4 });
  await pool.query('create table taken (id int primary key)');
  await pool.query(`create function take(id int) returns int language plpgsql as
    $$ begin insert into taken values (id); return id; end $$`);
  await pool.query('select take($1)', [2]);

  const answers = await Promise.allSettled([1, 2, 3].map((id) => pool.query('select take($1)', [id])));

  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(answers[1]).toMatchObject({ reason: { code: '23505' } });
  expect((await pool.query('select id from taken order by id')).rows).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
});

test('no statement is repeated if its effect is unknown', async () => {
  await using pool = await openTestPool({ max: 4, query_timeout: 2_000 });
  await pool.query('create table taken (id int); create table opened (at timestamptz)');
  await pool.query(`create function take_behind_door(id int) returns void language plpgsql as $$ begin
    perform pg_advisory_xact_lock_shared(1);
    insert into taken values (id);
    loop exit when exists (select from opened); perform pg_sleep(0.01); end loop; end $$`);

  const answers = await Promise.allSettled([1, 2].map((id) => pool.query('select take_behind_door($1)', [id])));
  await pool.query('insert into opened values (now())');
  await pool.query('select pg_advisory_lock(1)');

  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect((await pool.query('select id from taken order by id')).rows).toEqual([{ id: 1 }, { id: 2 }]);
});

test('no commit has a lock timeout', async () => {
  await using pool = await openTestPool({ max: 4 });
  await pool.query(`create table taken (id int); create table lock_timeouts (at_commit text);
    create function record() returns trigger language plpgsql as
      $$ begin insert into lock_timeouts values (current_setting('lock_timeout')); return null; end $$;
    create constraint trigger record after insert on taken initially deferred for each row execute function record();
    create function take(id int) returns text language plpgsql as
      $$ begin insert into taken values (id); return current_setting('lock_timeout'); end $$`);

  const answers = await Promise.all([1, 2].map((id) => pool.query('select take($1) as lock_timeouts', [id])));

  expect(answers.map(({ rows }) => rows)).toEqual([[{ lock_timeouts: '50ms' }], [{ lock_timeouts: '50ms' }]]);
  expect((await pool.query('select * from lock_timeouts')).rows).toEqual([{ at_commit: '0' }, { at_commit: '0' }]);
});

test('batches above the maximum size are split', async () => {
  await using pool = await openTestPool({ max: 4 });

  const answers = await Promise.all(Array.from({ length: 90 }, (_, id) => pool.query(TAKE, [id, 'a'])));

  expect(answers.map(({ rows }) => rows[0]?.id)).toEqual(Array.from({ length: 90 }, (_, id) => id));
  expect(new Set(answers.map(({ rows }) => rows[0]?.xid)).size).toBeLessThan(6);
});

test.each([
  'select pg_advisory_xact_lock_shared($1)::text as passed',
  'select * from cast(pg_advisory_xact_lock_shared($1) as text) as passed',
])('a statement that waits for a lock soon waits alone: %s', async (pass) => {
  await using pool = await openTestPool({ max: 4 });
  await using egress = await shutGate(pool);

  const [stuck, ...others] = [1, 2, 3].map((lock) => pool.query(pass, [lock]));
  const answers = await Promise.all(others);
  expect(answers.map(({ rows }) => rows)).toEqual([[{ passed: '' }], [{ passed: '' }]]);

  await egress.open();
  expect((await stuck)?.rows).toEqual([{ passed: '' }]);
});

test('a blocked statement does not delay later statements', async () => {
  await using pool = await openTestPool({ max: 4 });
  await using egress = await shutGate(pool);
  const passOrNot = 'select case when $1 then pg_advisory_xact_lock_shared(1)::text end as passed';

  const stuck = pool.query(passOrNot, [true]);
  await nextTurnOfTheLoop();
  expect((await pool.query(passOrNot, [false])).rows).toEqual([{ passed: null }]);

  await egress.open();
  expect((await stuck).rows).toEqual([{ passed: '' }]);
});

/** Takes a lock that other statements wait for until it is opened. */
async function shutGate(pool: pg.Pool) {
  const client = await pool.connect();
  const open = async () => void (await client.query('select pg_advisory_unlock_all()'));
  await client.query('select pg_advisory_lock(1)');
  return {
    open,
    [Symbol.asyncDispose]: async () => client.release(true),
  };
}
