import { runMigrations } from 'bullmq';
import pg from 'pg';
import postgres from 'postgres';
import { migrateAll } from '#services/migrate/migrate-all.ts';
import { startPostgres } from '#services/standalone/embedded-postgres/start-postgres.ts';
import { STOCK_SCHEMA } from '../contenders/open-bullmq.ts';

/** How much was written since the server began: transactions that wrote anything, and bytes of its log. */
export type Written = { transactions: number; walBytes: number };

/** A durable PostgreSQL of the benchmark's own. */
export type BenchPostgres = AsyncDisposable & {
  pid: number;
  version: string;
  /** A migrated, empty database; the one before it goes. */
  freshDatabase(): Promise<string>;
  /** A migrated database that stays until the benchmark ends; `fill` is run once, and its statements may take long. */
  keptDatabase(name: string, fill: (sql: postgres.Sql) => Promise<void>): Promise<string>;
  readWritten(): Promise<Written>;
  /** How often any process of the server brought its log to the disk, as far as it has told. */
  readFsyncs(): Promise<number>;
};

/** Starts PostgreSQL as `npm start` does: every commit is on the disk before it is answered. */
export async function openPostgres(folder: string): Promise<BenchPostgres> {
  const server = await startPostgres({ dataDir: folder, durable: true });
  const sql = postgres(server.url, { max: 1, onnotice: () => {} });
  const close = async () => {
    await sql.end({ timeout: 1 });
    await server.stop();
  };
  try {
    await sql`create database bench_template`;
    await migrateAll(urlOf(server.url, 'bench_template'));
    await migrateStockQueue(urlOf(server.url, 'bench_template'));
    const [row] = await sql<{ version: string }[]>`select current_setting('server_version') as version`;
    return {
      pid: server.pid,
      version: row?.version ?? '',
      freshDatabase: () => freshDatabase(sql, server.url),
      keptDatabase: (name, fill) => keptDatabase(sql, { name, url: urlOf(server.url, name), fill }),
      readWritten: () => readWritten(sql),
      readFsyncs: () => readFsyncs(sql),
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function migrateStockQueue(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await runMigrations(client as never, STOCK_SCHEMA);
  await client.end();
}

/** Checkpointed, so that none of this is still on its way to the disk while something is measured. */
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

/** Each transaction that writes takes a number, so their difference counts commits without waiting for statistics. */
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
