import { accessSync, constants, existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Misconfigured } from '#core/failure.ts';
import { createCluster } from './create-cluster.ts';
import { createDatabase } from './create-database.ts';
import { holdFolder } from './hold-folder.ts';
import { reachBinaries } from './reach-binaries.ts';
import { chooseRunAs } from './run-as.ts';
import { openServerLog, type ServerLog } from './server-log.ts';
import { startServer } from './start-server.ts';
import { stopOrphan } from './stop-orphan.ts';

/**
 * A PostgreSQL of our own: `url` leads to its database `pawl`, `pid` is its server, `exited` tells when that has ended,
 * `stop` may be called twice.
 */
export type EmbeddedPostgres = { url: string; pid: number; exited: Promise<unknown>; stop(): Promise<void> };

/** `durable: false` gives up what was committed when the machine goes down: for tests. */
export type PostgresOptions = { dataDir: string; port?: number; durable?: boolean };

/**
 * Starts PostgreSQL on a data folder, which is filled at the first time and kept. It listens on 127.0.0.1 only and
 * ends with this process, however that ends. Fails with `Misconfigured` where it cannot, saying what to do.
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = openDataDir(options.dataDir);
  const release = holdFolder(dataDir);
  try {
    const server = await startHeld(dataDir, options);
    return { ...server, stop: () => server.stop().finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}

function openDataDir(dataDir: string): string {
  try {
    makeFolder(dataDir);
    accessSync(dataDir, constants.W_OK);
    return realpathSync(dataDir);
  } catch (error) {
    throw new Misconfigured(
      `Cannot use the data folder ${dataDir} (${String(error)}): set PAWL_DATA_DIR to a folder that you can write.`,
    );
  }
}

/** Folder by folder: told to make all of them in a place like /proc, Node tries for ever. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path);
}

/** For the one Pawl that holds the folder. */
async function startHeld(dataDir: string, options: PostgresOptions): Promise<EmbeddedPostgres> {
  const log = openServerLog(dataDir);
  try {
    return await startLogged(dataDir, log, options);
  } finally {
    log.close();
  }
}

async function startLogged(dataDir: string, log: ServerLog, options: PostgresOptions): Promise<EmbeddedPostgres> {
  const { port, durable = true } = options;
  const dataFolder = join(dataDir, 'postgres', 'data');
  const runAs = chooseRunAs(dataFolder);
  const site = { binaries: reachBinaries(runAs), dataFolder, runAs, log };

  if (!existsSync(dataFolder)) await createCluster(dataDir, site, durable);
  await stopOrphan(dataFolder);
  const server = await startServer(site, durable, port);
  try {
    const password = readFileSync(join(dataDir, 'postgres', 'password'), 'utf8');
    const address = `postgres://pawl:${password}@127.0.0.1:${server.port}`;
    await createDatabase(`${address}/postgres`, 'pawl');
    return { url: `${address}/pawl`, pid: server.pid, exited: server.exited, stop: server.stop };
  } catch (error) {
    await server.stop();
    throw new Misconfigured(
      `The embedded PostgreSQL in ${dataDir} runs, but Pawl cannot work with it (${String(error)}): ` +
        'bring its folder back as it was, or set PAWL_DATA_DIR to a new one.',
    );
  }
}
