import { resolve } from 'node:path';
import { Misconfigured } from '#core/failure.ts';
import { type KeptPostgres, keepPostgres } from '#embedded-postgres/keep-postgres.ts';
import { PostgresFailed } from '#embedded-postgres/postgres-failed.ts';
import { logUnreachableTurns } from '../api/operations/unreachable-turns.ts';
import { startApi } from '../api/start-api.ts';
import { migrateAll } from '../migrate/migrate-all.ts';
import type { Log } from '../process/log.ts';
import { logParts, openParts } from '../process/parts.ts';
import type { Running } from '../process/run.ts';
import { directUrlOf, type Settings } from '../process/settings.ts';
import { requireStores } from '../process/stores.ts';
import { workerContext } from '../worker/context.ts';
import { openMetricsPort } from '../worker/metrics-port.ts';
import { openWorker } from '../worker/worker.ts';

/** Opens an API and a worker in this process, on the given database or on an embedded database. */
export async function openPawl(given: Settings, log: Log): Promise<Running> {
  const database = await openDatabase(given, log);
  try {
    const settings = { ...given, DATABASE_URL: database.url };
    await migrateAll(directUrlOf(settings), log);
    const parts = await openParts(settings, log);
    await requireStores(parts, settings, log);
    const worker = await openWorker(
      workerContext(parts, settings, log),
      parts.jobQueue,
      settings.PAWL_WORKER_CONCURRENCY,
    );
    const metricsPort = await openMetricsPort(parts, settings);
    const api = await startApi(parts, settings, log);
    logParts(log, given, parts);
    await logUnreachableTurns(parts.connection.db, api.keys, log);
    parts.availability.watch(log, ['database', 'disk', 'queue']);
    log.info({ event: 'process.ready', url: api.url, metrics_url: metricsPort.url }, `pawl is ready on ${api.url}`);
    return {
      lost: database.lost,
      reload: () => parts.reloadProjects(log),
      close: async (graceMs) => {
        await Promise.all([api.close(graceMs), worker.close(graceMs)]);
        await metricsPort.close();
        await parts.close();
        await database.stop();
      },
    };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

/** Returns the given database, or an embedded database that stops with this process. */
async function openDatabase(settings: Settings, log: Log): Promise<KeptPostgres> {
  const { DATABASE_URL: url } = settings;
  if (url) return { url, lost: new Promise(() => {}), stop: async () => {} };
  try {
    return await keepPostgres(resolve(settings.PAWL_DATA_DIR), (sentence) => log.warn(sentence));
  } catch (error) {
    // The message says what to set, so the process ends with it as for any invalid setting.
    throw error instanceof PostgresFailed ? new Misconfigured(error.message) : error;
  }
}
