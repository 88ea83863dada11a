import { sql } from 'kysely';
import { expect } from 'vitest';
import { connect } from '#core/checkpoint/connect.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

/** Runs queries on a connection and closes it. Postgres counts the reads of a connection when it closes. */
export async function withDatabase(url: string, ask: (db: Db) => Promise<unknown>): Promise<void> {
  const { db, close } = connect(url);
  await ask(db).finally(close);
}

/** Returns the number of rows and index entries that a query reads. */
export async function looksOf(url: string, ask: (db: Db) => Promise<unknown>): Promise<number> {
  const before = await countLooks(url);
  await withDatabase(url, ask);
  return (await countLooks(url)) - before;
}

/** Returns the number of rows and index entries of Pawl's tables that closed connections have read. */
export async function countLooks(url: string): Promise<number> {
  const { db, close } = connect(url);
  try {
    const isAlone = async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and application_name = 'pawl' and pid <> pg_backend_pid()`.execute(db);
      expect(rows).toHaveLength(0);
    };
    await waitUntil(isAlone);
    const { rows } = await sql<{ looks: number }>`
      select (
        (select sum(seq_tup_read) from pg_stat_user_tables where schemaname = 'public') +
        (select sum(idx_tup_read) from pg_stat_user_indexes where schemaname = 'public')
      )::int as looks`.execute(db);
    return rows[0]?.looks ?? Number.NaN;
  } finally {
    await close();
  }
}
