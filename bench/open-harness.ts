import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runMigrations } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import postgres from 'postgres';
import { migrateAll } from '#services/migrate/migrate-all.ts';
import { startPart } from '#test/harness/parts/start-part.ts';
import { createDatabase } from '#test/harness/stores/create-database.ts';
import { openPostgres } from '#test/harness/stores/open-postgres.ts';
import { openRedis } from '#test/harness/stores/redis/open-redis.ts';
import { STOCK_SCHEMA } from './naive-loop/open-bullmq.ts';

/** The common parts of all contenders: the stores, the model and a folder for logs. */
export type BenchHarness = AsyncDisposable & {
  folder: string;
  /** Returns options that make Node write a CPU profile of that name, or no options if no profile is requested. */
  profiling(name: string): string[];
  postgres: BenchPostgres;
  /** Null if there is no Redis. */
  redis: BenchRedis | null;
  modelUrl: string;
  /** The processes of the harness, by name. `driver` is this process. */
  pids: Record<string, number>;
};

/** Opens the harness. Disposing it stops every process by its id and removes the folder. */
export async function openBenchHarness({
  profileFolder,
}: {
  profileFolder?: string | undefined;
}): Promise<BenchHarness> {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'pawl-bench-'));
  opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  const postgres = opened.use(await openBenchPostgres(folder));
  const redis = opened.use(await openBenchRedis(join(folder, 'redis')));
  const output = { file: join(folder, 'simulator.log') };
  const simulator = await startPart('simulator', { env: { PORT: '0' }, output });
  opened.defer(simulator.stop);

  const redisPid: Record<string, number> = redis?.pid ? { redis: redis.pid } : {};
  const pids = { postgres: postgres.pid, ...redisPid, simulator: simulator.pid, driver: process.pid };
  const closing = opened.move();
  const profiling = (name: string) =>
    profileFolder ? ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`, `--cpu-prof-name=${name}.cpuprofile`] : [];
  const harness = { folder, profiling, postgres, redis, modelUrl: simulator.address, pids };
  return { ...harness, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

/** A Redis to measure on. `pid` is null for an external Redis: its CPU is not counted. */
type BenchRedis = AsyncDisposable & { url: string; pid: number | null; version: string; clear(): Promise<void> };

/** Opens the Redis at REDIS_URL, else a new durable Redis. Returns null if neither exists. */
async function openBenchRedis(folder: string): Promise<BenchRedis | null> {
  return process.env.REDIS_URL ? openGivenRedis(process.env.REDIS_URL) : openOwnRedis(folder);
}

/** Opens an external Redis. It may serve others, so it is never cleared. Finished jobs are removed automatically. */
async function openGivenRedis(url: string): Promise<BenchRedis> {
  const client = new Redis(url, { retryStrategy: () => 50, maxRetriesPerRequest: 100 });
  client.on('error', () => {});
  const version = await readVersion(client);
  return { url, pid: null, version, clear: async () => {}, [Symbol.asyncDispose]: async () => client.disconnect() };
}

async function openOwnRedis(folder: string): Promise<BenchRedis | null> {
  const redis = await openRedis({ folder });
  if (!redis) return null;
  const clear = async () => void (await redis.client.flushall());
  return { ...redis, pid: redis.pid(), version: await readVersion(redis.client), clear };
}

async function readVersion(client: Redis): Promise<string> {
  return /redis_version:(\S+)/.exec(await client.info('server'))?.[1] ?? '';
}

/** The writes since the server began: transactions that wrote, and bytes of its log. */
type Written = { transactions: number; walBytes: number };

/** A durable PostgreSQL for the benchmark only. */
type BenchPostgres = AsyncDisposable & {
  pid: number;
  version: string;
  /** Creates a migrated, empty database and drops the previous database. */
  freshDatabase(): Promise<string>;
  /**
   * Creates a migrated database that stays until the benchmark ends. `fill` runs once, and its statements may take
   * long.
   */
  keptDatabase(name: string, fill: (sql: postgres.Sql) => Promise<void>): Promise<string>;
  /** Creates an empty database without tables. */
  emptyDatabase(name: string): Promise<string>;
  readWritten(): Promise<Written>;
  /** Returns how often the processes of the server flushed its log to the disk, by its statistics. */
  readFsyncs(): Promise<number>;
};

/** Starts PostgreSQL as `npm start` does: every commit is on the disk before it is acknowledged. */
async function openBenchPostgres(folder: string): Promise<BenchPostgres> {
  await using opened = new AsyncDisposableStack();
  const server = opened.use(await openPostgres({ folder, durable: true }));
  const sql = postgres(server.url, { max: 1, onnotice: () => {} });
  opened.defer(() => sql.end({ timeout: 1 }));
  const template = await createDatabase(server.url, 'bench_template');
  await migrateAll(template);
  await migrateStockQueue(template);
  const [row] = await sql<{ version: string }[]>`select current_setting('server_version') as version`;
  const closing = opened.move();
  return {
    pid: server.pid(),
    version: row?.version ?? '',
    freshDatabase: () => freshDatabase(sql, server.url),
    keptDatabase: (name, fill) => keptDatabase(sql, { name, url: urlOf(server.url, name), fill }),
    emptyDatabase: (name) => createDatabase(server.url, name),
    readWritten: () => readWritten(sql),
    readFsyncs: () => readFsyncs(sql),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

async function migrateStockQueue(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await runMigrations(client as never, STOCK_SCHEMA);
  await client.end();
}

/** Creates the database with a checkpoint, so that none of its writes reaches the disk during a measurement. */
async function freshDatabase(sql: postgres.Sql, serverUrl: string): Promise<string> {
  await sql`drop database if exists bench with (force)`;
  await sql`create database bench template bench_template`;
  await sql`checkpoint`;
  return urlOf(serverUrl, 'bench');
}

type Kept = { name: string; url: string; fill: (sql: postgres.Sql) => Promise<void> };

async function keptDatabase(sql: postgres.Sql, { name, url, fill }: Kept): Promise<string> {
  await sql`create database ${sql(name)} template bench_template`;
  const filling = postgres(url, { max: 1, onnotice: () => {} });
  await fill(filling).finally(() => filling.end({ timeout: 5 }));
  await sql`checkpoint`;
  return url;
}

/**
 * Reads the writes. Each writing transaction takes a number, so the difference counts commits without a wait for
 * statistics.
 */
async function readWritten(sql: postgres.Sql): Promise<Written> {
  const [row] = await sql<{ transactions: string; bytes: string }[]>`
    select pg_snapshot_xmax(pg_current_snapshot())::text as transactions,
      pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text as bytes`;
  return { transactions: Number(row?.transactions), walBytes: Number(row?.bytes) };
}

async function readFsyncs(sql: postgres.Sql): Promise<number> {
  const [row] = await sql<{ fsyncs: string }[]>`
    select sum(fsyncs)::text as fsyncs from pg_stat_io where object = 'wal'`;
  return Number(row?.fsyncs);
}

function urlOf(serverUrl: string, database: string): string {
  return Object.assign(new URL(serverUrl), { pathname: `/${database}` }).href;
}
