import { Kysely } from 'kysely';
import { PostgresJSDialect } from 'kysely-postgres-js';
import { Misconfigured } from '../failure.ts';
import { POSTGRES_OPTIONS } from '../postgres-options.ts';
import type { Database, Db } from './database.ts';
import { guardedPostgres } from './guarded-postgres.ts';

/** How a process reaches Postgres. Listening is another room's, on connections of its own (`live/`). */
export type Connection = { db: Db; close(): Promise<void> };

/**
 * Opens the pool. Every statement and every wait for a connection is bounded, so that a dead network is an error
 * and never a hang. Commits are durable before they are answered.
 */
export function connect(url: string, { poolSize = 20 }: { poolSize?: number } = {}): Connection {
  if (!url) throw new Misconfigured('There is no DATABASE_URL to connect to. Set it.');
  const sql = guardedPostgres(url, {
    max: poolSize,
    ...POSTGRES_OPTIONS,
    idle_timeout: 300,
    keep_alive: 30,
    connection: {
      application_name: 'pawl',
      statement_timeout: 15_000,
      idle_in_transaction_session_timeout: 5_000,
      lock_timeout: 4_000,
      synchronous_commit: 'on',
    },
  });
  const db = new Kysely<Database>({ dialect: new PostgresJSDialect({ postgres: sql }) });
  return { db, close: () => sql.end({ timeout: 5 }) };
}
