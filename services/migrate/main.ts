import { requireDatabase } from '../require-database.ts';
import { runProcess } from '../run-process.ts';
import { migrateAll } from './migrate-all.ts';

await runProcess('migrate', async (settings, _env, log) => {
  const applied = await migrateAll(requireDatabase(settings).DATABASE_URL);
  if (applied.length === 0) log.info('the database is up to date already');
  else log.info({ applied }, `the database is up to date: ${applied.length} migrations were applied`);
  process.exit(0);
});
