import { connect } from '#core/checkpoint/connect.ts';
import { migrate } from '#core/checkpoint/migrate.ts';
import { migrateQueue } from '#core/queue/postgres/migrate-queue.ts';
import type { Log } from '../process/log.ts';

/** Migrates a database: the tables of Pawl and of BullMQ. Logs and returns the migrations of Pawl that it applied. */
export async function migrateAll(databaseUrl: string, log?: Log): Promise<string[]> {
  const connection = connect(databaseUrl, { shared: 1, own: 1 });
  try {
    const applied = await migrate(connection.db);
    await migrateQueue(databaseUrl);
    if (applied.length > 0) log?.info({ applied }, `the database is up to date: ${countOf(applied)} applied`);
    return applied;
  } finally {
    await connection.close();
  }
}

function countOf({ length }: string[]): string {
  return length === 1 ? '1 migration' : `${length} migrations`;
}
