import { resolve } from 'node:path';
import type { Log } from '../log.ts';
import type { Settings } from '../settings.ts';
import { type KeptPostgres, keepPostgres } from './embedded-postgres/keep-postgres.ts';

/** The database in use: the one that was named, or an embedded one that stops when we do. */
export async function openDatabase(settings: Settings, log: Log): Promise<KeptPostgres> {
  const { DATABASE_URL: url } = settings;
  if (url) return { url, lost: new Promise(() => {}), stop: async () => {} };
  return keepPostgres(resolve(settings.PAWL_DATA_DIR), (sentence) => log.warn(sentence));
}
