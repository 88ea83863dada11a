import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { chooseRunAs } from '#embedded-postgres/binaries.ts';
import { findFreePort } from '#embedded-postgres/find-free-port.ts';
import { newFolder } from '../new-folder.ts';
import { spawnChild } from '../parts/spawn-child.ts';

/** A PgBouncer that gives a connection another session of the database for each transaction. */
export type TestPgBouncer = AsyncDisposable & {
  /** The URL through PgBouncer, which names it as a pooler. */
  url: string;
  /** Ends it with SIGKILL. It stays down until `start`. */
  kill(): Promise<void>;
  start(): Promise<void>;
};

const START_TIMEOUT_MS = 30_000;

/**
 * `poolSize`: the most sessions at the database, for all connections together. `prepares`: it supports prepared
 * statements.
 */
type PgBouncerOptions = { directUrl: string; poolSize: number; prepares?: boolean };

/**
 * Starts a PgBouncer on a free port. Returns null if the PATH has none, or only a version without prepared
 * statements.
 */
export async function openPgBouncer({
  directUrl,
  poolSize,
  prepares = false,
}: PgBouncerOptions): Promise<TestPgBouncer | null> {
  if (prepares && !(await mayPrepare())) return null;
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await newFolder('pgbouncer'));
  const port = await findFreePort();
  const target = new URL(directUrl);
  const settings = join(folder.path, 'pgbouncer.ini');
  const users = join(folder.path, 'users.txt');
  await writeFile(users, `"${decodeURIComponent(target.username)}" "${decodeURIComponent(target.password)}"\n`);
  await writeFile(settings, settingsOf({ port, users, poolSize, target, prepares }));
  // PgBouncer refuses to run as root, and the user that it runs as must read its settings.
  await chmod(folder.path, 0o755);
  const start = () =>
    spawnChild('pgbouncer', [settings], { stdio: 'ignore', ...chooseRunAs(join(folder.path, 'none')) });
  let server = await start();
  if (!server) return null;
  opened.defer(() => server?.stop());

  const said = prepares ? '?pgbouncer=true&prepared_statements=true' : '?pgbouncer=true';
  const url = `${Object.assign(new URL(directUrl), { port: String(port) }).href}${said}`;
  await untilUp(url);
  const closing = opened.move();
  return {
    url,
    kill: async () => void (await server?.kill('SIGKILL')),
    start: async () => {
      server = await start();
      await untilUp(url);
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** Returns whether PgBouncer is 1.21 or newer. Older versions refuse the setting. */
async function mayPrepare(): Promise<boolean> {
  const said = await promisify(execFile)('pgbouncer', ['--version']).catch(() => ({ stdout: '' }));
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(said.stdout) ?? []).map(Number);
  return major > 1 || minor >= 21;
}

type PgBouncerSettings = { port: number; users: string; poolSize: number; target: URL; prepares: boolean };

function settingsOf({ port, users, poolSize, target, prepares }: PgBouncerSettings): string {
  return [
    '[databases]',
    `* = host=${target.hostname} port=${target.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = plain',
    `auth_file = ${users}`,
    'pool_mode = transaction',
    `default_pool_size = ${poolSize}`,
    'max_client_conn = 500',
    ...(prepares ? ['max_prepared_statements = 500'] : []),
    '',
  ].join('\n');
}

/** Waits until it is up. The driver retries a failed connect once for each statement. */
async function untilUp(url: string): Promise<void> {
  const sql = postgres(url.replace(/\?.*/, ''), { max: 1, prepare: false, fetch_types: false, backoff: () => 0.05 });
  const deadline = performance.now() + START_TIMEOUT_MS;
  try {
    while (performance.now() < deadline) if (await sql`select 1`.then(Boolean, () => false)) return;
    throw new Error('PgBouncer did not start in time.');
  } finally {
    await sql.end({ timeout: 1 });
  }
}
