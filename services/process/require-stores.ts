import { requireMigrated } from '#core/checkpoint/migrate.ts';
import { requireQueueMigrated } from '#core/queue/postgres/migrate-queue.ts';
import type { Parts } from './parts.ts';
import type { Settings } from './settings.ts';

/** Ends the start at a database on which this version cannot work, the schema of its queue included. */
export async function requireStores(
  { connection }: Pick<Parts, 'connection'>,
  { DATABASE_URL, REDIS_URL }: Settings & { DATABASE_URL: string },
): Promise<void> {
  await requireMigrated(connection.db);
  if (!REDIS_URL) await requireQueueMigrated(DATABASE_URL);
}
