import { type Connection, connect } from '#core/checkpoint/connect.ts';
import { requireMigrated } from '#core/checkpoint/migrate.ts';
import { Misconfigured } from '#core/failure.ts';
import { readPooler } from '#core/postgres/hosts.ts';
import { openPubsub } from '#core/pubsub/open-pubsub.ts';
import type { Pubsub } from '#core/pubsub/pubsub.ts';
import type { JobQueue } from '#core/queue/job-queue.ts';
import { openJobQueue } from '#core/queue/open-job-queue.ts';
import { requireQueueMigrated } from '#core/queue/postgres/migrate-queue.ts';
import type { Log } from './log.ts';

/** The stores in which a process keeps and announces its work. */
export type Stores = { connection: Connection; jobQueue: JobQueue; pubsub: Pubsub; close(): Promise<void> };

/** Without `REDIS_URL`, PostgreSQL has queue and pubsub too. */
export type StoreUrls = {
  DATABASE_URL: string;
  DATABASE_DIRECT_URL?: string | undefined;
  REDIS_URL?: string | undefined;
};

/** By default, the queue refuses jobs that it has not accepted within a second. */
type Options = StoreUrls & { enqueueTimeoutMs?: number };

/** Opens the stores. `onError` receives the reason of a failed connection or statement. */
export async function openStores(
  { DATABASE_URL: databaseUrl, DATABASE_DIRECT_URL: directUrl, REDIS_URL: redisUrl, enqueueTimeoutMs }: Options,
  onError: (error: unknown) => void,
): Promise<Stores> {
  if (readPooler(databaseUrl).isPooled && !directUrl && !redisUrl) throw new Misconfigured(NOTHING_LISTENS);
  const jobQueue = await openJobQueue({ databaseUrl, directUrl, redisUrl, enqueueTimeoutMs }, onError);
  const connection = connect(databaseUrl, undefined, onError);
  const pubsub = openPubsub({ databaseUrl, directUrl, redisUrl });
  return {
    ...{ connection, jobQueue, pubsub },
    close: async () => {
      await Promise.all([jobQueue.close(), pubsub.close()]);
      await connection.close();
    },
  };
}

const NOTHING_LISTENS =
  'DATABASE_URL is a pooler (pgbouncer=true), which does not forward notifications. ' +
  'Set DATABASE_DIRECT_URL to the PostgreSQL server itself, or set REDIS_URL.';

/**
 * Throws if this version cannot work on the database, including the schema of the queue. Warns if a newer version has
 * migrated the database.
 */
export async function requireStores(
  { connection }: Pick<Stores, 'connection'>,
  { DATABASE_URL, REDIS_URL }: StoreUrls,
  log: Log,
): Promise<void> {
  const newer = await requireMigrated(connection.db);
  if (newer.length > 0)
    log.warn(`the database has ${newer.join(', ')} of a newer version: go back one release at most`);
  if (!REDIS_URL) await requireQueueMigrated(DATABASE_URL);
}
