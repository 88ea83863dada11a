import { requireDatabase } from '../require-database.ts';
import { runProcess } from '../run-process.ts';
import { migrateAll } from './migrate-all.ts';

await runProcess('migrate', async (settings, _env, log) => {
  await migrateAll(requireDatabase(settings).DATABASE_URL);
  log.info('the database is up to date');
  process.exit(0);
});
