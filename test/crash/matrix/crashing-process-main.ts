import { plainProject } from '#core/project.ts';
import { type Log, openLog } from '#services/process/log.ts';
import { openParts, type Parts } from '#services/process/parts.ts';
import { makeProjects } from '#services/process/projects.ts';
import { readSettings, type Settings } from '#services/process/settings.ts';
import { openPatientStores } from '#test/harness/stores/open-patient-stores.ts';
import { saveCachedModules } from './cached-modules.ts';
import type { FromProcess, Orders, ToProcess } from './crashing-process.ts';
import { countCrossings } from './taps/crossings.ts';
import { tapParts } from './taps/tap-parts.ts';

/**
 * An API or a worker with two additions: it opens on request, so that it can be kept ready, and it kills itself at
 * its point. On request it reports its crossings.
 */
const send = (message: FromProcess) => process.send?.(message);
/** The first retry follows at once, and every play takes equally long. */
Math.random = () => 0;

const open = process.argv[2] === 'api' ? await loadApi() : await loadWorker();
let crossings = countCrossings({ crashAt: null, queueRefuses: false, queuesSteps: false });

process.on('disconnect', () => process.exit());
process.on('message', async (message: ToProcess) => {
  switch (message.kind) {
    case 'open':
      crossings = countCrossings(message);
      return send({ kind: 'open', url: await openPart(message) });
    case 'report':
      // A killed process does not save them.
      saveCachedModules();
      return send({ kind: 'crossed', crossed: crossings.crossed });
  }
});
send({ kind: 'ready' });

async function openPart({ env, projects }: Orders): Promise<string> {
  const settings = readSettings(env);
  const { DATABASE_URL = '' } = settings;
  const log = openLog('crashing', settings.PAWL_LOG_LEVEL);
  const parts = await openParts({ ...settings, DATABASE_URL }, log, openPatientStores);
  parts.projects = makeProjects(projects.map(plainProject));
  return open(tapParts(parts, crossings), settings, log);
}

/** Opens a part. Returns its URL if it is an API. */
type Open = (parts: Parts, settings: Settings, log: Log) => Promise<string>;

async function loadApi(): Promise<Open> {
  const { startApi } = await import('#services/api/start-api.ts');
  return async (...args) => (await startApi(...args)).url;
}

async function loadWorker(): Promise<Open> {
  const { openWorker } = await import('#services/worker/worker.ts');
  const { workerContext } = await import('#services/worker/context.ts');
  return async (parts, settings, log) => {
    await openWorker(workerContext(parts, settings, log), parts.jobQueue, settings.PAWL_WORKER_CONCURRENCY);
    return '';
  };
}
