import { Kysely, sql } from 'kysely';
import { Misconfigured } from '../failure.ts';
import { openConnection } from '../postgres/connection.ts';
import { pooledDialect } from '../postgres/dialect.ts';
import { openPool } from '../postgres/pool.ts';
import type { Db, Tables } from './tables.ts';

/** A process's connections to PostgreSQL. `pubsub/` listens on its own connections. */
export type Connection = { db: Db; close(): Promise<void> };

/** The maximum numbers of connections: `shared` for single reads, `own` for commits. */
export type PoolSize = { shared: number; own: number };

const POOL_SIZE: PoolSize = { shared: 6, own: 10 };

/**
 * Opens the pool. Every statement and every wait for a lock has a time limit, so a dead network is an error and never
 * a hang. Commits are durable before they are acknowledged. Calls `onError` for each failed statement.
 */
export function connect(
  url: string,
  size: PoolSize = POOL_SIZE,
  onError: (error: unknown) => void = () => {},
): Connection {
  if (!url) throw new Misconfigured('DATABASE_URL is not set. Set DATABASE_URL.');
  const pool = openPool((closed) => openConnection(url, closed, onError), size);
  return { db: new Kysely<Tables>({ dialect: pooledDialect(pool) }), close: pool.close };
}

/** Fails like a write if the database's disk is full, unlike `select 1`. Its table is dropped on commit. */
export async function probeDisk(db: Db): Promise<void> {
  await sql`create temporary table pawl_probe on commit drop as select 1 as one`.execute(db);
}
