import { Kysely } from 'kysely';
import { Misconfigured } from '../failure.ts';
import type { Database, Db } from './database.ts';
import { openConnection } from './open-connection.ts';
import { openPool } from './open-pool.ts';
import { pooledDialect } from './pooled-dialect.ts';

/** How a process reaches Postgres. Listening is another room's, on connections of its own (`live/`). */
export type Connection = { db: Db; close(): Promise<void> };

/** Connections at most: for single statements that read, and for transactions. */
export type PoolSize = { shared: number; own: number };

/**
 * Opens the pool. Every statement and every wait for a lock is bounded, so that a dead network is an error and never a
 * hang. Commits are durable before they are answered.
 */
export function connect(url: string, size: PoolSize = { shared: 6, own: 10 }): Connection {
  if (!url) throw new Misconfigured('There is no DATABASE_URL to connect to. Set it.');
  const pool = openPool((closed) => openConnection(url, closed), size);
  return { db: new Kysely<Database>({ dialect: pooledDialect(pool) }), close: pool.close };
}
