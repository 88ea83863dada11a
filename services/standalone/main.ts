import { openApi } from '../api/open-api.ts';
import { tellHiddenTurns } from '../api/tell-hidden-turns.ts';
import { migrateAll } from '../migrate/migrate-all.ts';
import { openParts } from '../open-parts.ts';
import { runProcess } from '../run-process.ts';
import { tellStart } from '../tell-start.ts';
import { openWorker } from '../worker/open-worker.ts';
import { workerContext } from '../worker/worker-context.ts';
import { openDatabase } from './open-database.ts';

await runProcess('pawl', async (given, env, log) => {
  const database = await openDatabase(given, log);
  try {
    await migrateAll(database.url);
    const settings = { ...given, DATABASE_URL: database.url };
    const parts = await openParts(settings, env, log);
    const worker = await openWorker(workerContext(parts, settings, log), parts.bell, settings.PAWL_WORKER_CONCURRENCY);
    const api = await openApi(parts, settings, log);
    tellStart(log, given, parts);
    await tellHiddenTurns(parts.connection.db, api.keys, log);
    parts.availability.watch(log, ['database', 'disk', 'queue']);
    log.info({ url: api.url }, `pawl is ready on ${api.url}`);
    return {
      lost: database.lost,
      close: async (graceMs) => {
        await Promise.all([api.close(graceMs), worker.close(graceMs)]);
        await parts.close();
        await database.stop();
      },
    };
  } catch (error) {
    await database.stop();
    throw error;
  }
});
