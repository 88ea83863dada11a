import { requireMigrated } from '#core/checkpoint/migrate.ts';
import { openParts } from '../open-parts.ts';
import { requireDatabase } from '../require-database.ts';
import { runProcess } from '../run-process.ts';
import { tellStart } from '../tell-start.ts';
import { openApi } from './open-api.ts';
import { tellHiddenTurns } from './tell-hidden-turns.ts';

await runProcess('api', async (given, env, log) => {
  const settings = requireDatabase(given);
  const parts = await openParts(settings, env, log);
  await requireMigrated(parts.connection.db);
  const api = await openApi(parts, settings, log);
  tellStart(log, settings, parts);
  await tellHiddenTurns(parts.connection.db, api.keys, log);
  parts.availability.watch(log, ['database', 'disk', 'queue', 'worker']);
  log.info({ url: api.url }, `api listens on ${api.url}`);
  return {
    close: async (graceMs) => {
      await api.close(graceMs);
      await parts.close();
    },
  };
});
