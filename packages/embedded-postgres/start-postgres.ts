import { accessSync, constants, existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import postgres from 'postgres';
import { chooseRunAs, reachBinaries } from './binaries.ts';
import { createCluster } from './create-cluster.ts';
import { PostgresFailed } from './postgres-failed.ts';
import { openServerLog } from './program.ts';
import { startServer, stopOrphan } from './server.ts';

/**
 * An embedded PostgreSQL. `url` is the URL of its database `pawl`, `pid` its server. `exited` resolves when the
 * server has ended. `stop` may be called twice.
 */
export type EmbeddedPostgres = { url: string; pid: number; exited: Promise<unknown>; stop(): Promise<void> };

/** `durable: false`, for tests, loses commits if the machine fails. */
export type PostgresOptions = { dataDir: string; port?: number; durable?: boolean };

/**
 * Starts PostgreSQL on a data folder, which the first start fills. PostgreSQL listens on 127.0.0.1 only and ends with
 * this process, even if the process is killed. Throws `PostgresFailed`, which says what to do.
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = openDataDir(options.dataDir);
  const release = lockFolder(dataDir);
  try {
    const server = await startLocked(dataDir, options);
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
    throw new PostgresFailed(
      `Cannot use the data folder ${dataDir} (${String(error)}). Set PAWL_DATA_DIR to a writable folder.`,
    );
  }
}

/** Creates a folder and its parents. In a folder like /proc, Node's recursive form never returns. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path);
}

/** Starts the server. The caller holds the lock of the folder. */
async function startLocked(dataDir: string, options: PostgresOptions): Promise<EmbeddedPostgres> {
  using log = openServerLog(dataDir);
  const { port, durable = true } = options;
  const dataFolder = join(dataDir, 'postgres', 'data');
  const runAs = chooseRunAs(dataFolder);
  const context = { binaries: reachBinaries(runAs), dataFolder, runAs, log };

  if (!existsSync(dataFolder)) await createCluster(dataDir, context, durable);
  await stopOrphan(dataFolder);
  const server = await startServer(context, durable, port);
  try {
    const password = readFileSync(join(dataDir, 'postgres', 'password'), 'utf8');
    const address = `postgres://pawl:${password}@127.0.0.1:${server.port}`;
    await createDatabase(`${address}/postgres`, 'pawl');
    return { url: `${address}/pawl`, pid: server.pid, exited: server.exited, stop: server.stop };
  } catch (error) {
    await server.stop();
    throw new PostgresFailed(
      `The embedded PostgreSQL in ${dataDir} runs, but Pawl cannot use it (${String(error)}). ` +
        'Restore its folder, or set PAWL_DATA_DIR to a new folder.',
    );
  }
}

const SQLITE_BUSY = 5;

/** Keeps the locks from the garbage collector, which would close them. */
const openLocks = new Set<DatabaseSync>();

/**
 * Locks a data folder until the returned function is called or this process ends. Uses a lock of SQLite, since Node
 * has no file lock. The kernel releases it when the process ends for any reason.
 */
function lockFolder(dataDir: string): () => void {
  const lock = takeLock(dataDir);
  openLocks.add(lock);
  return () => {
    if (openLocks.delete(lock)) lock.close();
  };
}

function takeLock(dataDir: string): DatabaseSync {
  try {
    const lock = new DatabaseSync(join(dataDir, 'postgres.lock'), { timeout: 0 });
    lock.exec('pragma journal_mode = memory; begin exclusive');
    return lock;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) {
      throw new PostgresFailed(
        `Another Pawl already uses the data folder ${dataDir}. Stop it, or set PAWL_DATA_DIR to another folder.`,
      );
    }
    throw new PostgresFailed(
      `Cannot lock the data folder ${dataDir} (${String(error)}). Set PAWL_DATA_DIR to a writable folder.`,
    );
  }
}

/** Creates a database if it is missing. `url` is the URL of another database of the same server. */
async function createDatabase(url: string, name: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const found = await sql`select 1 from pg_database where datname = ${name}`;
    if (found.length === 0) await sql`create database ${sql(name)}`;
  } finally {
    await sql.end();
  }
}
