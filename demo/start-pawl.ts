import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Screen } from '#cli/screen.ts';
import { migrateAll } from '#services/migrate/migrate-all.ts';
import { openPostgres } from '#test/harness/stores/open-postgres.ts';
import { type Journal, openJournal } from './journal.ts';
import type { DemoRun } from './run-to-end.ts';
import { type Part, startDemoPart } from './start-part.ts';
import { makeStepLog, type StepLog } from './step-log.ts';

/** A whole Pawl: an API and two workers in separate processes, with their own PostgreSQL. */
export type Pawl = {
  url: string;
  api: Part;
  workers: Part[];
  steps: StepLog;
  journal: Journal;
  /** Starts the killed API again at the same address. */
  startApi(): Promise<Part>;
  startWorker(name: string): Promise<Part>;
};

/** Returns more settings of a part, by its name. */
type SettingsOf = (partName: string) => Record<string, string>;

/** Starts Pawl in a new folder, which is removed with the run. */
export async function startPawl(screen: Screen, run: DemoRun, settingsOf: SettingsOf = () => ({})): Promise<Pawl> {
  const folder = newFolder(run);
  screen.say('setting up PostgreSQL in a new folder …');
  const databaseUrl = await startDatabase(folder, run);
  screen.say(`PostgreSQL is ready, port ${new URL(databaseUrl).port}`);

  const journalPath = join(folder, 'journal.jsonl');
  const env = {
    DATABASE_URL: databaseUrl,
    PAWL_TOOLS: join(import.meta.dirname, 'tools.ts'),
    PAWL_DEMO_JOURNAL: journalPath,
  };
  const steps = makeStepLog();
  const envOf = (name: string) => ({ ...env, ...settingsOf(name) });
  const startWorker = (name: string) =>
    startDemoPart({ name, service: 'worker', env: envOf(name), onLine: steps.record }, run);
  const startApi = (PORT = '0', name = 'The API') =>
    startDemoPart({ name, service: 'api', env: { ...envOf(name), PORT } }, run);
  const [api, ...workers] = await Promise.all([startApi(), startWorker('worker 1'), startWorker('worker 2')]);
  screen.say(`API is ready, ${api.url}`);
  for (const { name, pid } of workers) screen.say(`${name} is ready, pid ${pid}`);
  const again = { startApi: () => startApi(new URL(api.url).port), startWorker };
  return { url: api.url, api, workers, steps, journal: openJournal(journalPath), ...again };
}

function newFolder(run: DemoRun): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-demo-'));
  run.atTheEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  return folder;
}

async function startDatabase(folder: string, run: DemoRun): Promise<string> {
  const starting = openPostgres({ folder, durable: true });
  run.atTheEnd(() =>
    starting.then(
      ({ stop }) => stop(),
      () => {},
    ),
  );
  const { url } = await starting;
  await migrateAll(url);
  return url;
}
