import { runProcess } from '../process/run.ts';
import { directUrlOf, requireDatabase } from '../process/settings.ts';
import { migrateAll } from './migrate-all.ts';

await runProcess('migrate', async (settings, log) => {
  const applied = await migrateAll(directUrlOf(requireDatabase(settings)), log);
  if (applied.length === 0) log.info('the database is already up to date');
  process.exit(0);
});
