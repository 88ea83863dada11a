import { Redis } from 'ioredis';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { migrateAll } from '#services/migrate/migrate-all.ts';
import { startSimulator } from '#simulator/start-simulator.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { newFolder } from '#test/harness/new-folder.ts';
import { scripted } from '#test/harness/scripted.ts';
import { startProcess, type TestProcess } from '#test/harness/start-process.ts';
import { openPostgres } from '#test/harness/stores/open-postgres.ts';
import { openRedis } from '#test/harness/stores/redis/open-redis.ts';
import { untilLogged } from '#test/harness/until-logged.ts';

const NAMES = Array.from({ length: 100 }, (_, number) => `p${number}`);

/** The connections that a PostgreSQL of 100 connections leaves to an ordinary role. */
const CONNECTIONS = 97;

/** Opens a PostgreSQL, and returns the URL of a role with a bounded number of connections. */
async function openDatabase() {
  const folder = await newFolder('providers');
  const server = await openPostgres({ folder: folder.path, durable: false });
  const sql = postgres(server.url, { max: 1, onnotice: () => {} });
  await sql.unsafe(`create role app login password 'app' connection limit ${CONNECTIONS}`);
  await sql.unsafe('create database app owner app');
  const url = new URL(server.url);
  Object.assign(url, { username: 'app', password: 'app', pathname: '/app' });
  await migrateAll(url.href);
  const close = async () => {
    await sql.end();
    await server.stop();
    await folder[Symbol.asyncDispose]();
  };
  return { url: url.href, sql, [Symbol.asyncDispose]: close };
}

/** Starts an API and three workers with a hundred providers, which are the simulator under other names. */
async function openService(env: Record<string, string>) {
  const simulator = await startSimulator();
  const kind = { kind: 'openai', base_url: simulator.baseUrl };
  const providers = Object.fromEntries(NAMES.map((name) => [name, kind]));
  const tools = new URL('../harness/tools.ts', import.meta.url).pathname;
  const settings = { PORT: '0', PAWL_PROVIDERS: JSON.stringify(providers), PAWL_TOOLS: tools, ...env };
  const parts: TestProcess[] = [];
  for (const part of ['api', 'worker', 'worker', 'worker'] as const) parts.push(await startProcess(part, settings));
  const client = apiClient(String((await untilLogged(parts[0]!, 'process.ready')).url));
  const input = scripted({ rounds: [{ tools: [{ name: 'note_visit', arguments: { city: 'Rome' } }] }] });
  const runTurns = async () => {
    const start = (name: string) => client.startTurn({ model: `${name}/test`, input, tools: ['note_visit'] });
    const started = await Promise.all(NAMES.map(start));
    const turns: TurnResource[] = [];
    for (const { id } of started) turns.push(await client.untilEnded(id));
    return turns.map(({ status }) => status);
  };
  const close = async () => {
    await Promise.all(parts.map((part) => part[Symbol.asyncDispose]()));
    await simulator.stop();
  };
  return { runTurns, lines: () => parts.flatMap(({ lines }) => lines), [Symbol.asyncDispose]: close };
}

/** Returns whether a log line reports a connection that PostgreSQL refused. */
const isRefusal = ({ event, code }: Record<string, unknown>) => event === 'connection.refused' || code === '53300';

const COMPLETED = NAMES.map(() => 'completed');

test('100 providers, three workers and an API work on a PostgreSQL of 100 connections', async () => {
  await using database = await openDatabase();
  await using service = await openService({ DATABASE_URL: database.url });

  const statuses = [await service.runTurns(), await service.runTurns()];

  expect(statuses).toEqual([COMPLETED, COMPLETED]);
  expect(service.lines().filter(isRefusal)).toEqual([]);
  const [open] = await database.sql`select count(*)::int as all,
    count(*) filter (where application_name = 'pawl-queue-listen')::int as listening
    from pg_stat_activity where usename = 'app'`;
  expect(open?.listening).toBe(3);
  expect(open?.all).toBeLessThanOrEqual(CONNECTIONS);
});

test('100 providers need no more Redis connections than a single provider', async ({ skip }) => {
  await using server = await openRedis();
  if (!server) return skip('no redis-server on the PATH');
  await using database = await openDatabase();
  await using service = await openService({ DATABASE_URL: database.url, REDIS_URL: server.url });
  const redis = new Redis(server.url);

  const statuses = [await service.runTurns(), await service.runTurns()];
  const clients = String(await redis.client('LIST'))
    .trim()
    .split('\n');

  expect(statuses).toEqual([COMPLETED, COMPLETED]);
  // Connections of each worker: adding, working, two for hints, four blocking. Of the API: adding, two for hints.
  expect(clients.length - 1).toBeLessThanOrEqual(3 * 8 + 3);
  redis.disconnect();
});
