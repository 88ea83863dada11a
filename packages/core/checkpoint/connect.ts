import { Kysely, sql } from 'kysely';
import { Misconfigured } from '../failure.ts';
import { openConnection } from '../postgres/connection.ts';
import { pooledDialect } from '../postgres/dialect.ts';
import { openPool } from '../postgres/pool.ts';
import type { Db, Tables } from './tables.ts';

/** How a process reaches Postgres. `pubsub/` listens on connections of its own. */
export type Connection = { db: Db; close(): Promise<void> };

/** Connections at most: `shared` for single reads, `own` for everything that commits. */
export type PoolSize = { shared: number; own: number };

const POOL_SIZE: PoolSize = { shared: 6, own: 10 };

/**
 * Opens the pool. Every statement and every wait for a lock is bounded, so that a dead network is an error and never a
 * hang. Commits are durable before they are answered. `onError` is called for each statement that failed.
 */
export function connect(
  url: string,
  size: PoolSize = POOL_SIZE,
  onError: (error: unknown) => void = () => {},
): Connection {
  if (!url) throw new Misconfigured('There is no DATABASE_URL to connect to. Set it.');
  const pool = openPool((closed) => openConnection(url, closed, onError), size);
  return { db: new Kysely<Tables>({ dialect: pooledDialect(pool) }), close: pool.close };
}

/** Fails as a write does where the disk of the database is full; `select 1` never would. Leaves nothing behind. */
export async function probeDisk(db: Db): Promise<void> {
  await sql`create temporary table pawl_probe on commit drop as select 1 as one`.execute(db);
}
