import { existsSync } from 'node:fs';
import type { Log } from '../process/log.ts';
import { runProcess } from '../process/run.ts';
import type { Settings } from '../process/settings.ts';

await runProcess('pawl', async (settings, log) => {
  log.info({ event: 'process.starting' }, beginning(settings));
  // Import the parts after that line, since they take a while to load.
  const { openPawl } = await import('./open-pawl.ts');
  await buildPages(log);
  return openPawl(settings, log);
});

/** Builds the pages of a changed checkout. Only logs a failure, since the API works without the pages. */
async function buildPages(log: Log): Promise<void> {
  const { buildPages: build } = await import('#inspector/build.ts');
  const why = await build().then(
    (isBuilt) => (isBuilt ? null : 'rolldown is not installed'),
    (error) => (error instanceof Error ? error.message : String(error)),
  );
  if (why === null) return;
  log.warn(
    { event: 'pages.not_built' },
    `the pages were not rebuilt: ${why}. Run “npm ci && npm run build”, then start again`,
  );
}

/** Returns the first line of the log. The first start may take longer, since it creates a database. */
function beginning({ DATABASE_URL, PAWL_DATA_DIR }: Settings): string {
  if (DATABASE_URL) return 'starting: connecting to PostgreSQL …';
  return `${existsSync(PAWL_DATA_DIR) ? 'starting' : 'setting up'} PostgreSQL in ${PAWL_DATA_DIR} …`;
}
