import { logParts, openParts } from '../process/parts.ts';
import { runProcess } from '../process/run.ts';
import { requireDatabase } from '../process/settings.ts';
import { requireStores } from '../process/stores.ts';
import { workerContext } from './context.ts';
import { openMetricsPort } from './metrics-port.ts';
import { openWorker } from './worker.ts';

await runProcess('worker', async (given, log) => {
  const settings = requireDatabase(given);
  const parts = await openParts(settings, log);
  await requireStores(parts, settings, log);
  const worker = await openWorker(
    workerContext(parts, settings, log),
    parts.jobQueue,
    settings.PAWL_WORKER_CONCURRENCY,
  );
  const metricsPort = await openMetricsPort(parts, settings);
  logParts(log, settings, parts);
  parts.availability.watch(log, ['database', 'disk', 'queue']);
  const { url: metrics_url } = metricsPort;
  log.info({ event: 'process.ready', pid: process.pid, providers: parts.providers.names, metrics_url }, 'worker ready');
  return {
    reload: () => parts.reloadProjects(log),
    close: async (graceMs) => {
      await worker.close(graceMs);
      await metricsPort.close();
      await parts.close();
    },
  };
});
