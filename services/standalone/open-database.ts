import { resolve } from 'node:path';
import type { Settings } from '../settings.ts';
import { startPostgres } from './embedded-postgres/start-postgres.ts';

/** The database in use: the one that was named, or an embedded one that stops when we do. */
export async function openDatabase(settings: Settings): Promise<{ url: string; stop(): Promise<void> }> {
  if (settings.DATABASE_URL) return { url: settings.DATABASE_URL, stop: async () => {} };
  return startPostgres({ dataDir: resolve(settings.PAWL_DATA_DIR) });
}
