import { requireMigrated } from '#core/checkpoint/migrate.ts';
import { openParts } from '../open-parts.ts';
import { requireDatabase } from '../require-database.ts';
import { runProcess } from '../run-process.ts';
import { tellStart } from '../tell-start.ts';
import { openWorker } from './open-worker.ts';
import { workerContext } from './worker-context.ts';

await runProcess('worker', async (given, env, log) => {
  const settings = requireDatabase(given);
  const parts = await openParts(settings, env, log);
  await requireMigrated(parts.connection.db);
  const worker = await openWorker(workerContext(parts, settings, log), parts.bell, settings.PAWL_WORKER_CONCURRENCY);
  tellStart(log, settings, parts);
  parts.availability.watch(log, ['database', 'disk', 'queue']);
  log.info({ pid: process.pid, providers: parts.providers.names }, 'worker ready');
  return {
    close: async (graceMs) => {
      await worker.close(graceMs);
      await parts.close();
    },
  };
});
