import { type Connection, connect } from '#core/checkpoint/connect.ts';
import { requireMigrated } from '#core/checkpoint/migrate.ts';
import { Misconfigured } from '#core/failure.ts';
import { readPooler } from '#core/postgres/hosts.ts';
import { openPubsub } from '#core/pubsub/open-pubsub.ts';
import type { Pubsub } from '#core/pubsub/pubsub.ts';
import type { JobQueue } from '#core/queue/job-queue.ts';
import { openJobQueue } from '#core/queue/open-job-queue.ts';
import { requireQueueMigrated } from '#core/queue/postgres/migrate-queue.ts';

/** Where a process keeps and announces its work. */
export type Stores = { connection: Connection; jobQueue: JobQueue; pubsub: Pubsub; close(): Promise<void> };

/** `REDIS_URL` absent: queue and pubsub are on Postgres too. */
export type StoreUrls = {
  DATABASE_URL: string;
  DATABASE_DIRECT_URL?: string | undefined;
  REDIS_URL?: string | undefined;
};

/** `enqueueTimeoutMs` absent: the queue refuses jobs that it has not taken within a second. */
type Options = StoreUrls & { enqueueTimeoutMs?: number };

/** Opens the stores. `onError` gets the reason why a connection or a statement failed. */
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
  'DATABASE_URL leads through a pooler (pgbouncer=true), which passes no notifications on. ' +
  'Set DATABASE_DIRECT_URL to the PostgreSQL behind it, or REDIS_URL.';

/** Ends the start at a database on which this version cannot work, the schema of its queue included. */
export async function requireStores(
  { connection }: Pick<Stores, 'connection'>,
  { DATABASE_URL, REDIS_URL }: StoreUrls,
): Promise<void> {
  await requireMigrated(connection.db);
  if (!REDIS_URL) await requireQueueMigrated(DATABASE_URL);
}
