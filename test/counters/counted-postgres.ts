import postgres from 'postgres';
import { migrateAll } from '#services/migrate/migrate-all.ts';
import { fastestParent, newFolder } from '#test/harness/new-folder.ts';
import { openPostgres } from '#test/harness/stores/open-postgres.ts';

/** The table of the rows that each checkpoint updates. */
export const HOT_TABLE = 'work';

/** The work of statements since the server started. `buffers` are the pages of 8 KiB that statements looked at. */
export type Totals = { statements: number; walBytes: number; buffers: number };

/** The updates of a table's rows. `hot` updates changed no index (heap-only tuples). */
export type Updates = { all: number; hot: number };

/** The plan of a statement, for any values of its parameters: its nodes, and its id in `pg_stat_statements`. */
export type Plan = { nodes: number; queryId: string };

/** A PostgreSQL that counts its work, for one test only: other tests would write to the same log. */
export type CountedPostgres = AsyncDisposable & {
  url: string;
  /** Returns the work of the statements with these ids, and the work of all other statements. */
  readTotals(queryIds: string[]): Promise<{ own: Totals; other: Totals }>;
  /** Returns the end of the log, for `countCommits`. */
  readLogEnd(): Promise<string>;
  /** Returns the transactions since a position of the log that wrote to Pawl's own tables. */
  countCommits(since: string): Promise<number>;
  /** Returns the updates of sessions that have ended: PostgreSQL reports the counts of a session at its end. */
  readUpdates(table: string): Promise<Updates>;
  explain(text: string, settings: Record<string, string>): Promise<Plan>;
};

/** Opens a PostgreSQL with Pawl's tables, in which no count depends on the duration of a turn. */
export async function openCountedPostgres(): Promise<CountedPostgres> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await newFolder('counted', await fastestParent()));
  const server = opened.use(await openPostgres({ folder: folder.path, durable: false }));
  await inSession(server.url, async (sql) => {
    for (const [name, value] of Object.entries(SETTINGS)) await sql.unsafe(`alter system set ${name} = '${value}'`);
  });
  await server.stop();
  await server.start();
  await migrateAll(server.url);
  await inSession(server.url, async (sql) => {
    await sql`create extension pg_stat_statements`;
    await sql`create extension pg_walinspect`;
    // A slot of four seconds would end in the middle of a random turn.
    await sql`alter table ${sql(HOT_TABLE)}
      alter column due_bucket set expression as (date_bin('365000 days', due_at, 'epoch'))`;
  });
  const closing = opened.move();
  return {
    url: server.url,
    readTotals: (queryIds) => inSession(server.url, (sql) => readTotals(sql, queryIds)),
    readLogEnd: () => inSession(server.url, readLogEnd),
    countCommits: (since) => inSession(server.url, (sql) => countCommits(sql, since)),
    readUpdates: (table) => inSession(server.url, (sql) => readUpdates(sql, table)),
    explain: (text, settings) => inSession(server.url, (sql) => explain(sql, text), settings),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/**
 * Settings without checkpoints, after which whole pages are logged, and without vacuums, which change the pages that
 * statements read.
 */
const SETTINGS = {
  shared_preload_libraries: 'pg_stat_statements',
  compute_query_id: 'on',
  autovacuum: 'off',
  full_page_writes: 'off',
  checkpoint_timeout: '1d',
  max_wal_size: '10GB',
};

async function readTotals(sql: postgres.Sql, queryIds: string[]): Promise<{ own: Totals; other: Totals }> {
  const rows = await sql<(Totals & { isOwn: boolean })[]>`
    select queryid::text = any(string_to_array(${queryIds.join(',')}, ',')) as "isOwn", sum(calls)::int as statements,
      sum(wal_bytes)::int as "walBytes", sum(shared_blks_hit + shared_blks_read)::int as buffers
    from pg_stat_statements(true) join pg_database on pg_database.oid = dbid
    where datname = current_database() and query not like '%pg_stat_statements%' and query not ilike 'explain%'
    group by 1`;
  const none = { statements: 0, walBytes: 0, buffers: 0 };
  return { own: rows.find(({ isOwn }) => isOwn) ?? none, other: rows.find(({ isOwn }) => !isOwn) ?? none };
}

async function readLogEnd(sql: postgres.Sql): Promise<string> {
  const [row] = await sql<{ end: string }[]>`select pg_current_wal_insert_lsn()::text as end`;
  return row!.end;
}

async function countCommits(sql: postgres.Sql, since: string): Promise<number> {
  // An asynchronous commit may be in the log and not yet in its files, and only the files can be read.
  await sql`select pg_switch_wal()`;
  const [row] = await sql<{ commits: number }[]>`
    with records as materialized (
      select start_lsn, xid::text from pg_get_wal_records_info(${since}, pg_current_wal_flush_lsn()) where xid <> '0'
    )
    select count(distinct records.xid)::int as commits
    from pg_get_wal_block_info(${since}, pg_current_wal_flush_lsn(), false) as blocks join records using (start_lsn)
      join pg_class on pg_class.relfilenode = blocks.relfilenode
    where pg_class.relnamespace = 'public'::regnamespace`;
  return row!.commits;
}

async function readUpdates(sql: postgres.Sql, table: string): Promise<Updates> {
  const [updates] = await sql<Updates[]>`
    select n_tup_upd::int as all, n_tup_hot_upd::int as hot from pg_stat_user_tables where relname = ${table}`;
  return updates!;
}

async function explain(sql: postgres.Sql, text: string): Promise<Plan> {
  // The format is text, since the id has 64 bits, which a number of JavaScript would round.
  const [row] = await sql.unsafe(`explain (generic_plan, verbose, format yaml) ${text}`);
  const plan = String(row!['QUERY PLAN']);
  return {
    nodes: plan.match(/Node Type:/g)?.length ?? 0,
    queryId: /Query Identifier: (-?\d+)/.exec(plan)?.[1] ?? '',
  };
}

async function inSession<Result>(
  url: string,
  ask: (sql: postgres.Sql) => Promise<Result>,
  settings: Record<string, string> = {},
): Promise<Result> {
  const sql = postgres(url, { max: 1, onnotice: () => {}, fetch_types: false, connection: settings });
  return ask(sql).finally(() => sql.end());
}
