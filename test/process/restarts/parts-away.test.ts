import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { startProcess, type TestProcess } from '#test/harness/start-process.ts';
import { openRedis } from '#test/harness/stores/redis/open-redis.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';
import { untilLogged } from '#test/harness/until-logged.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { findFreePort } from '../../../packages/embedded-postgres/find-free-port.ts';
import { openLink } from '../../harness/links/open-link.ts';

const NO_WORKER = 'No worker is running. Start a worker with npm run worker.';
const REDIS_AWAY =
  'Redis at REDIS_URL cannot be reached. Check that it runs. Pawl accepts turns and starts them when Redis is back.';
const POSTGRES_AWAY = /^PostgreSQL at DATABASE_URL cannot be reached \(.+\)\. Check that it runs\. Turns continue/;

type Ready = { queue: string; workers: number; notes: string[] };
type Refused = { error: { message: string } };

/** Starts an API, and returns it with its client. */
async function startApi(env: Record<string, string>) {
  const api = await startProcess('api', { PORT: '0', ...env });
  const { url } = await untilLogged(api, 'process.ready');
  const metrics = async () => (await fetch(`${url}/metrics`)).text();
  return { ...api, ...apiClient(String(url)), metrics, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

const warnings = ({ lines }: TestProcess) => lines.filter(({ level }) => Number(level) >= 40).map(({ msg }) => msg);

test('a Redis outage is logged once by each process, and turns start after it', {
  timeout: 120_000,
}, async ({ skip }) => {
  await using redis = await openRedis();
  if (!redis) return skip('no redis-server on the PATH');
  await redis.kill();
  const env = { DATABASE_URL: await createTestDatabase(), REDIS_URL: redis.url };

  await using api = await startApi(env);
  await using worker = await startProcess('worker', env);
  await Promise.all([api.logged(/REDIS_URL/), worker.logged(/REDIS_URL/)]);
  const { id } = await api.startTurn({ model: 'sim/demo', input: 'Hello' });
  const away = (await api.call<Ready>('GET', '/readyz')).body;
  const metrics = await api.metrics();
  const logged = [warnings(api), warnings(worker)];
  await redis.start();
  const { body } = await api.call<TurnResource>('GET', `/v1/turns/${id}?wait=60`);
  await Promise.all([api.logged(/queue is back/), worker.logged(/queue is back/)]);
  const back = (await api.call<Ready>('GET', '/readyz')).body;
  await redis.kill();
  const again = () => warnings(worker).filter((sentence) => sentence.startsWith('Redis at REDIS_URL'));
  await waitUntil(() => expect(again().length).toBeGreaterThan(1));
  await redis.start();

  expect(away).toEqual({ status: 'ready', queue: 'away', workers: 1, notes: [REDIS_AWAY] });
  expect(metrics).toContain('pawl_part_up{part="queue"} 0\n');
  expect(logged).toEqual([expect.arrayContaining([REDIS_AWAY]), [REDIS_AWAY]]);
  expect(logged[0]!.filter((sentence) => sentence === REDIS_AWAY)).toHaveLength(1);
  expect(body.status).toBe('completed');
  expect(back).toEqual({ status: 'ready', queue: 'ready', workers: 1, notes: [] });
});

test('a Redis that accepts no jobs is logged until it accepts a job', async ({ skip }) => {
  await using redis = await openRedis();
  if (!redis) return skip('no redis-server on the PATH');
  const operator = new Redis(redis.url);
  await using api = await startApi({ DATABASE_URL: await createTestDatabase(), REDIS_URL: redis.url });
  const post = () => api.startTurn({ model: 'sim/demo', input: 'Hello' });
  await post();

  await operator.config('SET', 'maxmemory', '1');
  await post();
  const full = await api.logged(/^Redis at REDIS_URL refuses jobs \(OOM\)\./);
  const away = (await api.call<Ready>('GET', '/readyz')).body;
  await operator.config('SET', 'maxmemory', '0');
  await post();
  const back = (await api.call<Ready>('GET', '/readyz')).body;

  expect(away).toMatchObject({ status: 'ready', queue: 'away', notes: [full.msg, NO_WORKER] });
  expect(back).toMatchObject({ queue: 'ready', notes: [NO_WORKER] });
  operator.disconnect();
});

test('a Postgres outage is in log, /readyz and metrics once, and turns continue', {
  timeout: 120_000,
}, async () => {
  const url = new URL(await createTestDatabase());
  await using link = await openLink(Number(url.port));
  url.port = String(link.port);
  const env = { DATABASE_URL: url.href };
  await using api = await startApi(env);
  await using worker = await startProcess('worker', env);
  await waitUntil(async () => expect((await api.call<Ready>('GET', '/readyz')).body.workers).toBe(1));

  link.setMode('cut');
  await Promise.all([api.logged(POSTGRES_AWAY), worker.logged(POSTGRES_AWAY)]);
  const away = await api.call<Refused>('GET', '/readyz');
  const metrics = await api.metrics();
  const logged = [warnings(api), warnings(worker)].map((all) => all.filter((sentence) => POSTGRES_AWAY.test(sentence)));
  link.setMode('pass');
  await Promise.all([api.logged(/PostgreSQL is back/), worker.logged(/PostgreSQL is back/)]);
  const { id } = await api.startTurn({ model: 'sim/demo', input: 'Hello' });
  const { body } = await api.call<TurnResource>('GET', `/v1/turns/${id}?wait=60`);

  expect(away).toMatchObject({ status: 503, body: { error: { message: expect.stringMatching(POSTGRES_AWAY) } } });
  expect(metrics).toContain('pawl_part_up{part="database"} 0\n');
  expect(logged.map((all) => all.length)).toEqual([1, 1]);
  expect([...api.lines, ...worker.lines].filter((line) => 'err' in line)).toEqual([]);
  expect(body.status).toBe('completed');
});

test.each(['api', 'worker', 'migrate'])(
  'an unreachable Postgres ends the start of %s with one sentence',
  async (part) => {
    const port = await findFreePort();
    const main = fileURLToPath(new URL(`../../../services/${part}/main.ts`, import.meta.url));
    const env = { PATH: process.env.PATH, DATABASE_URL: `postgres://pawl@127.0.0.1:${port}/pawl` };

    const starting = promisify(execFile)(process.execPath, [main], { env });

    await expect(starting).rejects.toMatchObject({
      code: 1,
      stderr:
        'PostgreSQL at DATABASE_URL cannot be reached (ECONNREFUSED). Check that it runs, and that host and port are right.\n',
    });
  },
);

test('the API reports that no worker runs, also after a kill, until a worker starts', {
  timeout: 120_000,
}, async () => {
  await using harness = await createHarness();
  const env = harness.env;
  await using api = await startApi(env);
  const ready = async () => (await api.call<Ready>('GET', '/readyz')).body;

  await api.logged(/^No worker is running/);
  const before = await ready();
  const metrics = await api.metrics();
  const { id } = await api.startTurn({ model: 'sim/demo', input: 'Hello' });
  const { body: queued } = await api.call<TurnResource>('GET', `/v1/turns/${id}`);
  const { body: list } = await api.call<{ data: TurnResource[] }>('GET', '/v1/turns');
  await using first = await startProcess('worker', { ...env, PAWL_WORKER_CONCURRENCY: '3' });
  await api.logged(/^A worker is running/);
  const rows = await harness.db.selectFrom('workers').select(['id', 'concurrency']).execute();
  await first.kill('SIGKILL');
  await sql`update workers set last_seen_at = last_seen_at - interval '1 minute'`.execute(harness.db);
  const killed = await ready();
  await using second = await startProcess('worker', env);
  const after = await ready();
  const left = await harness.db.selectFrom('workers').select('id').execute();
  await second.kill('SIGTERM');
  const stopped = await ready();

  expect(before).toEqual({ status: 'ready', queue: 'ready', workers: 0, notes: [NO_WORKER] });
  expect(queued.waiting).toEqual({ for: 'slot', since: queued.created_at, note: NO_WORKER });
  expect(list.data.map(({ waiting }) => waiting?.note)).toEqual([NO_WORKER]);
  expect(metrics).toContain('pawl_workers 0\n');
  expect(metrics).toContain('pawl_part_up{part="worker"} 0\n');
  expect(rows).toEqual([{ id: expect.stringMatching(/^wrk_/), concurrency: 3 }]);
  expect(killed).toMatchObject({ workers: 0, notes: [NO_WORKER] });
  expect(after).toMatchObject({ workers: 1, notes: [] });
  expect(left.map(({ id }) => id)).not.toContain(rows[0]!.id);
  expect(stopped).toMatchObject({ workers: 0, notes: [NO_WORKER] });
});

test('a database with a full disk is not ready, reports that, and is ready with space', async () => {
  await using harness = await createHarness({ env: { DATABASE_URL: await createTestDatabase() } });
  const ready = () => harness.call<Refused & Ready>('GET', '/readyz');
  // The error of PostgreSQL for a write without space. The check tries to create a temporary table.
  await sql`create function find_no_space() returns event_trigger language plpgsql as
    $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`.execute(harness.db);
  await sql`create function keep_nothing() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`.execute(harness.db);
  await sql`create trigger full_disk before insert on conversations execute function keep_nothing()`.execute(
    harness.db,
  );
  await sql`create event trigger full_disk on ddl_command_start execute function find_no_space()`.execute(harness.db);

  const before = await ready();
  await harness.call('POST', '/v1/turns', { body: { model: 'sim/demo', input: 'Hello' } });
  const full = await ready();
  const metrics = await (await fetch(`${harness.url}/metrics`)).text();
  await sql`drop event trigger full_disk`.execute(harness.db);
  await sql`drop trigger full_disk on conversations`.execute(harness.db);
  const after = await ready();

  expect(before.status).toBe(200);
  expect(full.status).toBe(503);
  expect(full.body.error.message).toMatch(
    /^The disk of PostgreSQL at DATABASE_URL is full \(53100\)\. Free some disk space/,
  );
  expect(metrics).toContain('pawl_part_up{part="disk"} 0\n');
  expect(after.status).toBe(200);
});

test('an unreachable model and receiver are named in the log and the turn, and retried', {
  timeout: 120_000,
}, async () => {
  await using externalServer = await openExternalServer();
  await using harness = await createHarness();
  await using toModel = await openLink(Number(new URL(harness.env.OPENAI_BASE_URL).port));
  await using toReceiver = await openLink(Number(new URL(externalServer.url).port));
  const model = new URL(harness.env.OPENAI_BASE_URL);
  model.port = String(toModel.port);
  toModel.setMode('cut');
  toReceiver.setMode('cut');
  await using worker = await startProcess('worker', { ...harness.env, OPENAI_BASE_URL: model.href });

  const webhook = { url: `http://127.0.0.1:${toReceiver.port}/`, events: ['turn.completed'] };
  const { id } = await harness.startTurn({ input: 'Hello', webhook });
  const missed = await worker.logged(/^round 1 again in/);
  const events = await harness.listEvents(id);
  toModel.setMode('pass');
  const { body } = await harness.call<TurnResource>('GET', `/v1/turns/${id}?wait=60`);
  const undelivered = await worker.logged(/^webhook again in/);
  const { body: deliveries } = await harness.call<{ data: unknown[] }>('GET', `/v1/turns/${id}/deliveries`);
  toReceiver.setMode('pass');
  await externalServer.arrival(1);

  expect(missed.msg).toMatch(/^round 1 again in \d+ ms: openai failed with provider_unavailable$/);
  expect(JSON.stringify(events)).toContain('openai could not be reached, or closed the connection (');
  expect(body.status).toBe('completed');
  expect(undelivered.msg).toMatch(/^webhook again in \d+ ms: turn\.completed\. .*127\.0\.0\.1/);
  expect(deliveries.data).toMatchObject([{ status: 'pending', last_error: expect.stringContaining('127.0.0.1') }]);
});
