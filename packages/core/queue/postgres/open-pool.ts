import pg from 'pg';
import { SESSION, setLocal, startupOptions } from '../../postgres/session.ts';
import { writerAt } from '../../postgres/writer.ts';
import { likeLibpq } from './like-libpq.ts';
import { patchPool } from './patch-pool.ts';

/**
 * Opens a pool for the queue. A job that is lost with the database is enqueued again, so no commit of a job waits for
 * the disk. Each statement has an index, but a plan from a time without jobs would read the whole table, and sessions
 * keep that plan.
 */
export function openPool(url: string, { max, durability }: { max: number; durability: 'on' | 'off' }): pg.Pool {
  const writer = writerAt(url);
  const settings = { ...SESSION, search_path: 'bullmq', synchronous_commit: durability, enable_seqscan: 'off' };
  const pool = new pg.Pool({
    connectionString: likeLibpq(writer.url),
    ...(writer.stream && { stream: writer.stream }),
    max,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
    // Closes a connection that has not answered in that time. Otherwise BullMQ returns it and gets it again.
    pipeline: true,
    ...(!writer.isPooled && { options: startupOptions(settings) }),
    application_name: 'pawl-queue',
  });
  patchPool(pool, { setLocal: writer.isPooled ? setLocal(settings) : null, prepares: writer.prepares });
  // BullMQ adds a listener for each queue and worker.
  pool.setMaxListeners(0);
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}
