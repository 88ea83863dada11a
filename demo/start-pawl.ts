import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Screen } from '#cli/screen.ts';
import { migrateAll } from '#services/migrate/migrate-all.ts';
import { startPostgres } from '#services/standalone/embedded-postgres/start-postgres.ts';
import { type Journal, openJournal } from './journal.ts';
import type { Stage } from './run-to-the-end.ts';
import { type Part, startPart } from './start-part.ts';
import { makeStepLog, type StepLog } from './step-log.ts';

/** A whole Pawl: an API and two workers, each a process of its own, on a PostgreSQL of their own. */
export type Pawl = { url: string; workers: Part[]; steps: StepLog; journal: Journal };

/** Starts everything in a new folder, which goes with the show. Webhooks may reach `receiverPort` on this machine. */
export async function startPawl(receiverPort: number, screen: Screen, stage: Stage): Promise<Pawl> {
  const folder = newFolder(stage);
  screen.say('PostgreSQL is set up in a new folder …');
  const databaseUrl = await startDatabase(folder, stage);
  screen.say(`PostgreSQL is ready, port ${new URL(databaseUrl).port}`);

  const journalPath = join(folder, 'journal.jsonl');
  const env = {
    DATABASE_URL: databaseUrl,
    PORT: '0',
    PAWL_TOOLS: join(import.meta.dirname, 'tools.ts'),
    PAWL_EGRESS_ALLOW: `127.0.0.1:${receiverPort}`,
    PAWL_DEMO_JOURNAL: journalPath,
  };
  const steps = makeStepLog();
  const api = startApi(env, stage);
  const workers = ['worker 1', 'worker 2'].map((name) => startWorker(name, { env, steps }, stage));
  const [{ url = '' }] = await Promise.all([api.ready, ...workers.map((worker) => worker.ready)]);
  screen.say(`API is ready, ${url}`);
  for (const { name, pid } of workers) screen.say(`${name} is ready, pid ${pid}`);
  return { url, workers, steps, journal: openJournal(journalPath) };
}

function newFolder(stage: Stage): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-demo-'));
  stage.atTheEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  return folder;
}

async function startDatabase(dataDir: string, stage: Stage): Promise<string> {
  const starting = startPostgres({ dataDir });
  stage.atTheEnd(() =>
    starting.then(
      ({ stop }) => stop(),
      () => {},
    ),
  );
  const { url } = await starting;
  await migrateAll(url);
  return url;
}

function startApi(env: Record<string, string>, stage: Stage): Part {
  return startPart(
    { name: 'The API', script: 'services/api/main.ts', env, isReady: ({ url }) => url !== undefined },
    stage,
  );
}

function startWorker(
  name: string,
  { env, steps }: { env: Record<string, string>; steps: StepLog },
  stage: Stage,
): Part {
  const script = 'services/worker/main.ts';
  return startPart({ name, script, env, isReady: ({ msg }) => msg === 'worker ready', hear: steps.hear }, stage);
}
