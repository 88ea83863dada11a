import { runProcess } from '../process/run.ts';
import { directUrlOf, requireDatabase } from '../process/settings.ts';
import { migrateAll } from './migrate-all.ts';

await runProcess('migrate', async (settings, log) => {
  const applied = await migrateAll(directUrlOf(requireDatabase(settings)));
  if (applied.length === 0) log.info('the database is already up to date');
  else
    log.info(
      { applied },
      `the database is up to date: ${applied.length === 1 ? '1 migration' : `${applied.length} migrations`} applied`,
    );
  process.exit(0);
});
