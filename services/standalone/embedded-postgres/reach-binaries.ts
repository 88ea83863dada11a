import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Misconfigured } from '#core/failure.ts';
import { type Binaries, findBinaries } from './find-binaries.ts';
import type { RunAs } from './run-as.ts';

/** Root's alone to write, so that nobody else can slip a program under a name that root is going to start. */
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

/** Asks by trying: no reading of modes knows about access lists, mounts and security modules. */
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
    letEverybodyRead(unfinished);
    renameSync(unfinished, copy);
  } catch (error) {
    // Another Pawl may have been first.
    if (!existsSync(copy)) throw unreachable(binaries, String(error));
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** An installation made under a strict umask is readable by root alone, and so is its copy. */
function letEverybodyRead(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) letEverybodyRead(path);
    else if (entry.isFile()) chmodSync(path, folder.endsWith('/bin') ? 0o755 : 0o644);
  }
}

function unreachable(binaries: Binaries, reason: string): Misconfigured {
  return new Misconfigured(
    `PostgreSQL cannot run as root, and the user it would run as cannot start the programs in ${binaries.folder} ` +
      `(${reason}): install Pawl in a folder that everybody may read, start it as another user, or set DATABASE_URL.`,
  );
}
