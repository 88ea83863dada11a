import { type Log, openLog } from '#services/log.ts';
import { openParts, type Parts } from '#services/open-parts.ts';
import { readSettings, type Settings } from '#services/settings.ts';
import { countCrossings } from './crossings.ts';
import type { FromDoomed, Orders, ToDoomed } from './doomed.ts';
import { keepModules } from './recall-modules.ts';
import { tapParts } from './tap-parts.ts';

/**
 * An API or a worker like any other, but for two things: it opens only when told to, so that it can be had ready, and
 * it kills itself at the point it was told. Asked, it says what it has crossed.
 */
const say = (message: FromDoomed) => process.send?.(message);
/** The first retry comes at once, and each run takes as long as the other. */
Math.random = () => 0;

const open = process.argv[2] === 'api' ? await loadApi() : await loadWorker();
let crossings = countCrossings({ doom: null, queueRefuses: false });

process.on('disconnect', () => process.exit());
process.on('message', async (message: ToDoomed) => {
  switch (message.kind) {
    case 'open':
      crossings = countCrossings(message);
      return say({ kind: 'open', url: await openDoomed(message) });
    case 'tell':
      // What is killed keeps nothing by itself.
      keepModules();
      return say({ kind: 'crossed', crossed: crossings.crossed });
  }
});
say({ kind: 'ready' });

async function openDoomed({ env }: Orders): Promise<string> {
  const settings = readSettings(env);
  const { DATABASE_URL = '' } = settings;
  const log = openLog('doomed', settings.PAWL_LOG_LEVEL);
  const parts = await openParts({ ...settings, DATABASE_URL }, env, log);
  return open(tapParts(parts, crossings), settings, log);
}

/** Answers with the URL where it listens, if it is an API. */
type Open = (parts: Parts, settings: Settings, log: Log) => Promise<string>;

async function loadApi(): Promise<Open> {
  const { openApi } = await import('#services/api/open-api.ts');
  return async (...args) => (await openApi(...args)).url;
}

async function loadWorker(): Promise<Open> {
  const { openWorker } = await import('#services/worker/open-worker.ts');
  const { workerContext } = await import('#services/worker/worker-context.ts');
  // Providers load it with their first call.
  await import('openai');
  return async (parts, settings, log) => {
    await openWorker(workerContext(parts, settings, log), parts.bell, settings.PAWL_WORKER_CONCURRENCY);
    return '';
  };
}
