import { connect } from '#core/checkpoint/connect.ts';
import { migrate } from '#core/checkpoint/migrate.ts';
import { migrateQueue } from '#core/queue/postgres/migrate-queue.ts';

/** Migrates a database: the tables of Pawl and of BullMQ. Returns the migrations of Pawl that it applied. */
export async function migrateAll(databaseUrl: string): Promise<string[]> {
  const connection = connect(databaseUrl, { shared: 1, own: 1 });
  try {
    const applied = await migrate(connection.db);
    await migrateQueue(databaseUrl);
    return applied;
  } finally {
    await connection.close();
  }
}
