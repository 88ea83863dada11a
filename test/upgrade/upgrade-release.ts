import { migrateAll } from '#services/migrate/migrate-all.ts';
import { createDatabase } from '#test/harness/stores/create-database.ts';
import { loadRows, rowsByTable } from './dump-rows.ts';
import { applyMigrations } from './released-migrations.ts';

/**
 * Makes a database as a release left it, and migrates it with the current code. Returns its URL and the applied
 * migrations.
 */
export async function upgradeRelease(
  dump: string,
  { server, name }: { server: string; name: string },
): Promise<{ url: string; applied: string[] }> {
  const url = await createDatabase(server, name);
  const recorded = (rowsByTable(dump).get('kysely_migration') ?? []).map((row) => JSON.parse(row) as { name: string });
  await applyMigrations(
    url,
    recorded.map((row) => `${row.name.split('@')[0]}.sql`),
  );
  await loadRows(url, dump);
  return { url, applied: await migrateAll(url) };
}
