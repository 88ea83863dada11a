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

const POOL_SIZE: PoolSize = { shared: 6, own: 10 };

/**
 * Opens the pool. Every statement and every wait for a lock is bounded, so that a dead network is an error and never a
 * hang. Commits are durable before they are answered. `onError` hears of each statement that failed.
 */
export function connect(
  url: string,
  size: PoolSize = POOL_SIZE,
  onError: (error: unknown) => void = () => {},
): Connection {
  if (!url) throw new Misconfigured('There is no DATABASE_URL to connect to. Set it.');
  const pool = openPool((closed) => openConnection(url, closed, onError), size);
  return { db: new Kysely<Database>({ dialect: pooledDialect(pool) }), close: pool.close };
}
