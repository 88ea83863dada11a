import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startPostgres } from '#embedded-postgres/start-postgres.ts';
import { afterTest, isAlive, newFolder, query, start, startOwner } from './postgres-owner.ts';

const isRoot = process.getuid?.() === 0;

test('the embedded server starts in a new folder and answers', async () => {
  const pg = await start(newFolder());

  expect(
    await query(pg.url, 'select current_database(), current_setting($1) as encoding', ['server_encoding']),
  ).toEqual([{ current_database: 'pawl', encoding: 'UTF8' }]);
});

test('the embedded server is durable by default', async () => {
  const pg = await startPostgres({ dataDir: newFolder() });
  afterTest(pg.stop);

  const settings = await query(
    pg.url,
    `select string_agg(setting, ',' order by name) as set from pg_settings
     where name in ('fsync', 'full_page_writes', 'synchronous_commit')`,
  );

  expect(settings).toEqual([{ set: 'on,on,on' }]);
});

test('the embedded server refuses a wrong password', async () => {
  const pg = await start(newFolder());
  const url = new URL(pg.url);

  url.password = 'guessed';

  await expect(query(url.href, 'select 1')).rejects.toThrow('password authentication failed');
});

test('the embedded server has its data again at the next start', async () => {
  const dataDir = newFolder();
  const first = await start(dataDir);
  await query(first.url, 'create table kept as select 42 as answer');
  await first.stop();

  const second = await start(dataDir);

  expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
});

test('the embedded server stops once, also after several stops', async () => {
  const pg = await start(newFolder());

  await Promise.all([pg.stop(), pg.stop()]);
  await pg.stop();

  expect(isAlive(pg.pid)).toBe(false);
});

test('a second owner of a folder is refused and does not disturb the first owner', async () => {
  const dataDir = newFolder();
  const pg = await start(dataDir);

  await expect(start(dataDir)).rejects.toThrow('Another Pawl already uses the data folder');
  await expect(startOwner(dataDir)).rejects.toThrow('Another Pawl already uses the data folder');

  expect(await query(pg.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

/** Finds a free port below the ephemeral ports, so that no other process takes it before its use. */
async function findQuietPort(): Promise<number> {
  for (let port = 20_000 + (process.pid % 10_000); ; port += 1) {
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await once(server.close(), 'close');
    return port;
  }
}

test('the embedded server listens on a given port', async () => {
  const port = await findQuietPort();

  const pg = await startPostgres({ dataDir: newFolder(), port, durable: false });

  afterTest(pg.stop);
  expect(new URL(pg.url).port).toBe(String(port));
});

test('the embedded server reports that a given port is in use', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  afterTest(() => other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;

  const taken = startPostgres({ dataDir: newFolder(), port, durable: false });

  await expect(taken).rejects.toThrow(`cannot listen on 127.0.0.1:${port}`);
});

test('a server that fails to start shows the end of its log', async () => {
  const dataDir = newFolder();
  await (await start(dataDir)).stop();
  writeFileSync(join(dataDir, 'postgres', 'data', 'PG_VERSION'), '12\n');

  const again = start(dataDir);

  await expect(again).rejects.toThrow(/set DATABASE_URL\.\n.*database files are incompatible with server/s);
});

test('no other user can read the password, and the log is not written to the terminal', async () => {
  const dataDir = newFolder();

  await start(dataDir);

  expect(statSync(join(dataDir, 'postgres', 'password')).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(dataDir, 'postgres.log'), 'utf8')).toContain('ready to accept connections');
});

test.skipIf(!isRoot)(
  `the server works for root in a folder closed to others${isRoot ? '' : ' (SKIPPED: not root)'}`,
  async () => {
    const closed = newFolder();
    const dataDir = join(closed, 'deep', 'inside');
    mkdirSync(dataDir, { recursive: true });
    chmodSync(closed, 0o700);

    const pg = await start(dataDir);
    await query(pg.url, 'create table kept as select 42 as answer');
    await pg.stop();
    const again = await start(dataDir);

    expect(await query(again.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
    expect(statSync(closed)).toMatchObject({ uid: 0, mode: 0o40700 });
  },
);

if (!isRoot) process.stderr.write('start-postgres: not root, so the switch to another user is NOT tested here.\n');
