import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { RunAs } from './binaries.ts';
import { PostgresFailed } from './postgres-failed.ts';

/** The folder of PostgreSQL's programs, their data, their user and their log. */
export type ProgramContext = { binaries: string; dataFolder: string; runAs: RunAs | undefined; log: ServerLog };

/** A started program. `exited` resolves with its exit code, or null if a signal ended it. */
export type Program = { pid: number; isGone(): boolean; exited: Promise<number | null> };

/** Starts `initdb` or `postgres` on a data folder, which is also its working directory. */
export async function spawnProgram(
  name: 'initdb' | 'postgres',
  args: string[],
  context: ProgramContext,
): Promise<Program> {
  const file = join(context.binaries, 'bin', name);
  const child = spawn(file, ['-D', folderArgument(context), ...args], {
    ...context.runAs,
    cwd: context.dataFolder,
    env: programEnv(),
    stdio: ['ignore', context.log.append, context.log.append],
    // Ctrl-C in a terminal reaches the whole foreground group, but the server must outlive the shutdown of Pawl.
    detached: name === 'postgres',
    windowsHide: true,
  });
  await spawned(child, file);
  if (name === 'postgres') child.unref();
  return {
    pid: child.pid ?? 0,
    isGone: () => child.exitCode !== null || child.signalCode !== null,
    exited: once(child, 'exit').then(([code]) => code),
  };
}

/** Returns the variables of the program. PGPORT and others would change it, and it must not read API keys. */
function programEnv(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot } = process.env;
  // A program on Windows opens no socket without SystemRoot.
  return { PATH, LANG: 'C', ...(SystemRoot ? { SystemRoot } : {}) };
}

async function spawned(child: ChildProcess, file: string): Promise<void> {
  try {
    await once(child, 'spawn');
  } catch (error) {
    throw new PostgresFailed(`The embedded PostgreSQL cannot run here (${file}: ${String(error)}). Set DATABASE_URL.`);
  }
}

/**
 * Returns the name of the data folder. The user of the program may be unable to enter a parent folder. Root enters
 * the working directory before the switch, so this name avoids all parent folders.
 */
function folderArgument({ runAs, dataFolder }: ProgramContext): string {
  return runAs && process.platform === 'linux' ? '/proc/self/cwd' : dataFolder;
}

const MAX_BYTES = 10 * 1024 * 1024;
const TAIL_BYTES = 16 * 1024;
const TAIL_LINES = 10;

/** PostgreSQL's log file. `append` is a descriptor for child processes. `tail` returns the last lines since opening. */
export type ServerLog = Disposable & { path: string; append: number; size(): number; tail(from?: number): string };

/** Opens `<dataDir>/postgres.log` for the programs of PostgreSQL. Renames a log above 10 MB. */
export function openServerLog(dataDir: string): ServerLog {
  const path = join(dataDir, 'postgres.log');
  if (sizeOf(path) > MAX_BYTES) renameSync(path, `${path}.1`);
  const append = openForUs(path);
  const openedAt = sizeOf(path);
  return {
    path,
    append,
    size: () => sizeOf(path),
    tail: (from = openedAt) => lastLines(path, from),
    [Symbol.dispose]: () => closeSync(append),
  };
}

function openForUs(path: string): number {
  try {
    return openSync(path, 'a', 0o600);
  } catch (error) {
    throw new PostgresFailed(
      `Cannot write ${path} (${String(error)}). Start Pawl as the owner of the file, ` +
        'or set PAWL_DATA_DIR to another folder.',
    );
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function lastLines(path: string, from: number): string {
  const file = openSync(path, 'r');
  const bytes = Buffer.alloc(TAIL_BYTES);
  const length = readSync(file, bytes, 0, TAIL_BYTES, Math.max(from, sizeOf(path) - TAIL_BYTES));
  closeSync(file);
  return bytes.toString('utf8', 0, length).trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
}

/** Returns the failure of a PostgreSQL program that ended too soon, with the end of its output. */
export function serverFailed(what: string, log: ServerLog): PostgresFailed {
  const output = log.tail();
  return new PostgresFailed(
    `The embedded PostgreSQL could not ${what}: ${cureFor(output)}, or set DATABASE_URL.\n${output}\n(${log.path})`,
  );
}

function cureFor(output: string): string {
  if (output.includes('No space left on device')) return 'free some disk space';
  return output.includes('shared librar') ? 'run npm rebuild' : 'check its log';
}
