import postgres from 'postgres';
import { migrateAll } from '#services/migrate/migrate-all.ts';
import { fastestParent, newFolder } from '#test/harness/new-folder.ts';
import { openPostgres } from '#test/harness/stores/open-postgres.ts';

/** The work of PostgreSQL since its start. `buffers` are the pages of 8 KiB that statements looked at. */
export type Totals = { statements: number; walBytes: number; buffers: number };

/** The updates of a table's rows. `hot` ones changed no index (heap-only tuples). */
export type Updates = { all: number; hot: number };

/** A PostgreSQL that counts its work, for one test alone: other tests would write to the same log. */
export type CountedPostgres = AsyncDisposable & {
  url: string;
  readTotals(): Promise<Totals>;
  /** Returns the updates of sessions that have ended: PostgreSQL reports the counts of a session at its end. */
  readUpdates(table: string): Promise<Updates>;
};

/** Opens a PostgreSQL with Pawl's tables, in which no count depends on how long a turn takes. */
export async function openCountedPostgres(): Promise<CountedPostgres> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await newFolder('counted', await fastestParent()));
  const server = opened.use(await openPostgres({ folder: folder.path, durable: false }));
  await inSession(server.url, async (sql) => {
    await sql`alter system set shared_preload_libraries = 'pg_stat_statements'`;
    await sql`alter system set autovacuum = off`;
  });
  await server.stop();
  await server.start();
  await migrateAll(server.url);
  await inSession(server.url, async (sql) => {
    await sql`create extension pg_stat_statements`;
    // A slot of four seconds ends in the middle of one turn or another, as the clock will have it.
    await sql`alter table turns alter column due_slot set expression as (date_bin('365000 days', due_at, 'epoch'))`;
  });
  const closing = opened.move();
  return {
    url: server.url,
    readTotals: () => inSession(server.url, readTotals),
    readUpdates: (table) => inSession(server.url, (sql) => readUpdates(sql, table)),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

async function readTotals(sql: postgres.Sql): Promise<Totals> {
  const [totals] = await sql<Totals[]>`
    select sum(calls)::int as statements, sum(wal_bytes)::int as "walBytes",
      sum(shared_blks_hit + shared_blks_read)::int as buffers
    from pg_stat_statements(true) join pg_database on pg_database.oid = dbid
    where datname = current_database() and query not like '%pg_stat_statements%'`;
  return totals!;
}

async function readUpdates(sql: postgres.Sql, table: string): Promise<Updates> {
  const [updates] = await sql<Updates[]>`
    select n_tup_upd::int as all, n_tup_hot_upd::int as hot from pg_stat_user_tables where relname = ${table}`;
  return updates!;
}

async function inSession<Result>(url: string, ask: (sql: postgres.Sql) => Promise<Result>): Promise<Result> {
  const sql = postgres(url, { max: 1, onnotice: () => {}, fetch_types: false });
  return ask(sql).finally(() => sql.end());
}
