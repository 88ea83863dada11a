import { sql } from 'kysely';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '#core/checkpoint/connect.ts';
import { read, write } from '#core/postgres/read-write.ts';
import { isTransient, retryTransient } from '#core/postgres/retry-transient.ts';
import { openJobQueue } from '#core/queue/open-job-queue.ts';
import { findFreePort } from '#embedded-postgres/find-free-port.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';

/** Returns a URL with an unreachable first host, and the URL of the second host alone. */
async function severalHosts(): Promise<{ url: string; alone: string }> {
  const alone = await createTestDatabase();
  const dead = `127.0.0.1:${await findFreePort()}`;
  return { alone, url: alone.replace(/@([^/]+)/, `@${dead},$1`) };
}

function open(url: string) {
  const connection = connect(url, { shared: 1, own: 1 });
  onTestFinished(connection.close);
  return connection.db;
}

test('turns and queue use the writable host if the first host is unavailable', async () => {
  const { url } = await severalHosts();
  const db = open(url);
  const jobQueue = await openJobQueue({ databaseUrl: url });
  onTestFinished(jobQueue.close);

  const rows = await write(db, sql`select 1 as one`);
  const counts = await jobQueue.count(['probe']);

  expect(rows).toEqual([{ one: 1 }]);
  expect(counts).toMatchObject({ waiting: 0 });
});

test('a server that becomes read-only is not used until it is writable again', async () => {
  const { url, alone } = await severalHosts();
  const db = open(url);
  const operator = postgres(alone, { max: 1, onnotice: () => {} });
  onTestFinished(() => operator.end());
  const { database } = operator.options;
  const pid = async () => (await read<{ pid: number }>(db, sql`select pg_backend_pid() as pid`))[0]?.pid;
  const insert = () => write(db, sql`insert into note values (1)`);
  await operator`create table note (number int)`;
  const before = await pid();
  await insert();

  await operator.unsafe(`alter database "${database}" set default_transaction_read_only = on`);
  await write(db, sql`select set_config('default_transaction_read_only', 'on', false)`);
  const refused = await insert().catch((error: unknown) => error);
  const away = await pid().catch((error: unknown) => error);
  await operator.unsafe(`alter database "${database}" set default_transaction_read_only = off`);
  await retryTransient(insert);

  expect(isTransient(refused) && refused.code).toBe('25006');
  expect(isTransient(away)).toBe(true);
  expect(await retryTransient(pid)).not.toBe(before);
  expect(await operator`select count(*)::int as notes from note`).toEqual([{ notes: 2 }]);
});
