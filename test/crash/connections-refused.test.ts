import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import postgres from 'postgres';
import { expect, test, vi } from 'vitest';
import { createWorld, type World } from '#test/world/create-world.ts';
import { spawnRedis } from '#test/world/spawn-redis.ts';
import { startProcess } from '#test/world/start-process.ts';
import { createTestDatabase } from '#test/world/test-database.ts';

const SOON = { timeout: 30_000, interval: 200 };

/** A database of its own, and a role that may use it with so many connections as `limit` says. */
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

async function readyz({ call }: World) {
  const { status, body } = await call<{ status?: string; error?: { message: string } }>('GET', '/readyz');
  return { status, message: body.error?.message ?? body.status };
}

const READY = { status: 200, message: 'ready' };

test('a process that finds no connection to PostgreSQL at its start says which limit to raise', async () => {
  await using database = await openLimited();
  await database.limit(0);
  const main = fileURLToPath(new URL('../../services/worker/main.ts', import.meta.url));
  const { PATH, HOME } = process.env;
  const worker = spawn(process.execPath, [main], { env: { PATH, HOME, DATABASE_URL: database.url } });

  const [said, [code]] = await Promise.all([text(worker.stderr), once(worker, 'exit')]);

  expect(said).toMatch(/^PostgreSQL at DATABASE_URL has no connection left .* raise max_connections.*\n$/);
  expect(code).toBe(1);
});

test('while PostgreSQL refuses connections /readyz says which limit to raise, and is ready again by itself', async () => {
  await using database = await openLimited();
  await using world = await createWorld({ env: { DATABASE_URL: database.url } });
  expect(await readyz(world)).toEqual(READY);

  await database.limit(0);
  await database.kill();
  const refused = { status: 503, message: expect.stringContaining('raise max_connections') };
  await vi.waitFor(async () => expect(await readyz(world)).toEqual(refused), SOON);
  await database.limit(50);

  await vi.waitFor(async () => expect(await readyz(world)).toEqual(READY), SOON);
});

test('a worker that PostgreSQL refuses logs which limit to raise, and works on once it is raised', async () => {
  await using database = await openLimited();
  await using world = await createWorld({ env: { DATABASE_URL: database.url } });
  await using worker = await startProcess('worker', world.env);

  await database.limit(0);
  await database.kill();
  await worker.said(/no connection left .* raise max_connections/);
  await database.limit(50);
  const turn = await vi.waitFor(() => world.startTurn({ input: 'Hello' }), SOON);
  const { body } = await world.call('GET', `/v1/turns/${turn.id}?wait=30`);

  expect(body.status).toBe('completed');
});

test('while Redis refuses connections /readyz says which limit to raise, and is ready again by itself', async ({
  skip,
}) => {
  const server = await spawnRedis();
  if (!server) return skip('no redis-server on the PATH');
  const redis = new Redis(server.url);
  await using world = await createWorld({ env: { REDIS_URL: server.url } });
  expect(await readyz(world)).toEqual(READY);

  await redis.config('SET', 'maxclients', '1');
  await redis.call('client', 'kill', 'skipme', 'yes');
  const refused = { status: 503, message: expect.stringContaining('raise maxclients') };
  await vi.waitFor(async () => expect(await readyz(world)).toEqual(refused), SOON);
  await redis.config('SET', 'maxclients', '100');

  await vi.waitFor(async () => expect(await readyz(world)).toEqual(READY), SOON);
  redis.disconnect();
  await server.stop();
});
