import { execFileSync } from 'node:child_process';
import { chmodSync, globSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chooseRunAs } from '#embedded-postgres/binaries.ts';
import { openServerLog } from '#embedded-postgres/program.ts';
import { startServer } from '#embedded-postgres/server.ts';

/** A PostgreSQL of this machine's packages, with programs for backups of its own version. */
export type SystemPostgres = AsyncDisposable & { url: string; port: number };

const [PROGRAMS = null] = globSync('/usr/lib/postgresql/*/bin/pg_basebackup')
  .map((path) => dirname(path))
  .sort((one, other) => versionOf(other) - versionOf(one));

function versionOf(programs: string): number {
  return Number(programs.split('/').at(-2));
}

/** Whether this machine has a PostgreSQL server with its programs for backups. */
export const hasSystemPostgres = PROGRAMS !== null;

/** Runs a program such as `pg_dump`, as the user of this process. */
export function runProgram(name: string, args: string[]): void {
  execFileSync(join(PROGRAMS ?? '', name), args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Makes the folder `data` in a folder and starts a server on it. */
export async function createSystemPostgres(folder: string): Promise<SystemPostgres> {
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  giveAway(data);
  const options = ['--username=pawl', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  // It runs inside the folder: its user may be unable to enter a folder above.
  execFileSync(join(PROGRAMS ?? '', 'initdb'), ['-D', '.', ...options], {
    ...chooseRunAs(data),
    cwd: data,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return startSystemPostgres(folder);
}

/** Starts a server on the folder `data` of a folder: a folder that was made here, or its backup. */
export async function startSystemPostgres(folder: string): Promise<SystemPostgres> {
  const dataFolder = join(folder, 'data');
  giveAway(dataFolder);
  using log = openServerLog(folder);
  const binaries = dirname(PROGRAMS ?? '');
  const server = await startServer({ binaries, dataFolder, runAs: chooseRunAs(dataFolder), log }, false);
  const url = `postgres://pawl@127.0.0.1:${server.port}/postgres`;
  return { url, port: server.port, [Symbol.asyncDispose]: () => server.stop() };
}

/** Gives a folder with its content to the user that the server runs as, and opens the path to it. */
function giveAway(dataFolder: string): void {
  chmodSync(dirname(dataFolder), 0o755);
  const user = chooseRunAs(dataFolder);
  if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, dataFolder]);
}
