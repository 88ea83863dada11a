import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { startProcess } from '#test/harness/start-process.ts';
import { openRedis } from '#test/harness/stores/redis/open-redis.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';
import { untilLogged } from '#test/harness/until-logged.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

/** Opens its own database, with a role for which `limit` sets the number of connections. */
async function openLimited() {
  const url = new URL(await createTestDatabase());
  const sql = postgres(url.href, { max: 1, onnotice: () => {} });
  const role = `limited_${url.pathname.slice(1)}`;
  await sql.unsafe(`create role ${role} login password 'limited'`);
  for (const schema of ['public', 'bullmq']) {
    await sql.unsafe(`grant all on schema ${schema} to ${role}`);
    for (const kind of ['tables', 'sequences', 'functions']) {
      await sql.unsafe(`grant all on all ${kind} in schema ${schema} to ${role}`);
    }
  }
  Object.assign(url, { username: role, password: 'limited' });
  return {
    url: url.href,
    limit: async (connections: number) => void (await sql.unsafe(`alter role ${role} connection limit ${connections}`)),
    kill: async () => void (await sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${role}`),
    [Symbol.asyncDispose]: () => sql.end(),
  };
}

async function readyz({ call }: Harness) {
  const { status, body } = await call<{ status?: string; error?: { message: string } }>('GET', '/readyz');
  return { status, message: body.error?.message ?? body.status };
}

const READY = { status: 200, message: 'ready' };

test('a process that finds no connection to PostgreSQL at its start names the limit', async () => {
  await using database = await openLimited();
  await database.limit(0);
  const main = fileURLToPath(new URL('../../../services/worker/main.ts', import.meta.url));
  const { PATH, HOME } = process.env;
  const worker = spawn(process.execPath, [main], { env: { PATH, HOME, DATABASE_URL: database.url } });

  const [said, [code]] = await Promise.all([text(worker.stderr), once(worker, 'exit')]);

  expect(said).toMatch(/^PostgreSQL at DATABASE_URL has no free connection .* Raise max_connections.*\n$/);
  expect(code).toBe(1);
});

test('/readyz names the limit while PostgreSQL refuses connections, and recovers', async () => {
  await using database = await openLimited();
  await using harness = await createHarness({ env: { DATABASE_URL: database.url } });
  expect(await readyz(harness)).toEqual(READY);

  await database.limit(0);
  await database.kill();
  const refused = { status: 503, message: expect.stringContaining('Raise max_connections') };
  await waitUntil(async () => expect(await readyz(harness)).toEqual(refused));
  await database.limit(50);

  await waitUntil(async () => expect(await readyz(harness)).toEqual(READY));
});

test('a worker that PostgreSQL refuses logs the limit, and works after a raise', async () => {
  await using database = await openLimited();
  await using harness = await createHarness({ env: { DATABASE_URL: database.url } });
  await using worker = await startProcess('worker', harness.env);

  await database.limit(0);
  await database.kill();
  const { msg } = await untilLogged(worker, 'connection.refused');
  await database.limit(50);
  const turn = await waitUntil(() => harness.startTurn({ input: 'Hello' }));
  const { body } = await harness.call('GET', `/v1/turns/${turn.id}?wait=30`);

  expect(msg).toMatch(/no free connection .* Raise max_connections/);
  expect(body.status).toBe('completed');
});

test('/readyz names the limit while Redis refuses connections, and recovers', async ({ skip }) => {
  await using server = await openRedis();
  if (!server) return skip('no redis-server on the PATH');
  const redis = new Redis(server.url);
  await using harness = await createHarness({ env: { REDIS_URL: server.url } });
  expect(await readyz(harness)).toEqual(READY);

  await redis.config('SET', 'maxclients', '1');
  await redis.call('client', 'kill', 'skipme', 'yes');
  const refused = { status: 503, message: expect.stringContaining('Raise maxclients') };
  await waitUntil(async () => expect(await readyz(harness)).toEqual(refused));
  await redis.config('SET', 'maxclients', '100');

  await waitUntil(async () => expect(await readyz(harness)).toEqual(READY));
  redis.disconnect();
});
