import { expect, test } from 'vitest';
import { openConnection } from '#core/postgres/connection.ts';
import { openPool } from '#core/postgres/pool.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';

const SESSION = { text: 'select pg_backend_pid() as pid' };

test('a pool replaces old connections, and answers their running statements', async () => {
  const url = await createTestDatabase();
  const age = { isOld: false };
  const pool = openPool((closed) => ({ ...openConnection(url, closed), isOld: () => age.isOld }), {
    shared: 1,
    own: 1,
  });
  const runExclusive = async () => {
    const connection = await pool.take();
    return await connection.run(SESSION).finally(connection.release);
  };
  const [shared, own] = await Promise.all([pool.run(SESSION), runExclusive()]);

  const inFlight = pool.run({ text: 'select pg_sleep(0.1), pg_backend_pid() as pid' });
  age.isOld = true;
  const later = await Promise.all([pool.run(SESSION), runExclusive(), pool.run(SESSION)]);
  age.isOld = false;
  const last = await Promise.all([pool.run(SESSION), runExclusive()]);
  await pool.close();

  expect(await inFlight).toMatchObject(shared);
  const pids = [shared, own, ...later].map(([row]) => row?.pid);
  expect(new Set(pids).size).toBe(pids.length);
  expect(last).toMatchObject([later[2], later[1]]);
});
