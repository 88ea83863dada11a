import { existsSync } from 'node:fs';
import { runProcess } from '../process/run.ts';
import type { Settings } from '../process/settings.ts';

await runProcess('pawl', async (settings, log) => {
  log.info({ event: 'process.starting' }, beginning(settings));
  // Loaded after that line: the parts take a while to load.
  const { buildPages } = await import('#inspector/build.ts');
  const { openPawl } = await import('./open-pawl.ts');
  await buildPages();
  return openPawl(settings, log);
});

/** What a start does first, which may last: the first one makes a database. */
function beginning({ DATABASE_URL, PAWL_DATA_DIR }: Settings): string {
  if (DATABASE_URL) return 'starting: connecting to PostgreSQL …';
  return `${existsSync(PAWL_DATA_DIR) ? 'starting' : 'setting up'} PostgreSQL in ${PAWL_DATA_DIR} …`;
}
