import { logParts, openParts } from '../process/parts.ts';
import { runProcess } from '../process/run.ts';
import { requireDatabase } from '../process/settings.ts';
import { requireStores } from '../process/stores.ts';
import { logUnreachableTurns } from './operations/unreachable-turns.ts';
import { startApi } from './start-api.ts';

await runProcess('api', async (given, log) => {
  const settings = requireDatabase(given);
  const parts = await openParts(settings, log);
  await requireStores(parts, settings, log);
  const api = await startApi(parts, settings, log);
  logParts(log, settings, parts);
  await logUnreachableTurns(parts.connection.db, api.keys, log);
  parts.availability.watch(log, ['database', 'disk', 'queue', 'worker', 'tools']);
  log.info({ event: 'process.ready', url: api.url }, `api listens on ${api.url}`);
  return {
    reload: () => parts.reloadProjects(log),
    close: async (graceMs) => {
      await api.close(graceMs);
      await parts.close();
    },
  };
});
