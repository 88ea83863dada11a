import { connect } from '#core/checkpoint/connect.ts';
import { migrate } from '#core/checkpoint/migrate.ts';
import { migrateQueue } from '#core/queue/postgres-backend.ts';

/** Brings everything in a database up to date: our tables and BullMQ's. */
export async function migrateAll(databaseUrl: string): Promise<void> {
  const connection = connect(databaseUrl, { shared: 1, own: 1 });
  try {
    await migrate(connection.db);
  } finally {
    await connection.close();
  }
  await migrateQueue(databaseUrl);
}
