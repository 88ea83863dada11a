import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Misconfigured } from '#core/failure.ts';
import type { RunAs } from './run-as.ts';
import type { ServerLog } from './server-log.ts';

/** Where PostgreSQL's programs come from, whose data they work on, as whom, and where they write their words. */
export type Site = { binaries: string; dataFolder: string; runAs: RunAs | undefined; log: ServerLog };

/** A program that was started; `exited` tells its exit code, null when a signal ended it. */
export type Program = { pid: number; isGone(): boolean; exited: Promise<number | null> };

/** Starts `initdb` or `postgres` on the data folder of its site, which is also its working directory. */
export async function spawnProgram(name: 'initdb' | 'postgres', args: string[], site: Site): Promise<Program> {
  const file = join(site.binaries, 'bin', name);
  const child = spawn(file, ['-D', folderArgument(site), ...args], {
    ...site.runAs,
    cwd: site.dataFolder,
    // Nothing of ours: PGPORT and the like would change it, and API keys are none of its business.
    env: { PATH: process.env.PATH, LANG: 'C' },
    stdio: ['ignore', site.log.append, site.log.append],
    // Ctrl-C in a terminal reaches the whole foreground group; the server has to outlive our own shutdown.
    detached: name === 'postgres',
  });
  await spawned(child, file);
  if (name === 'postgres') child.unref();
  return {
    pid: child.pid ?? 0,
    isGone: () => child.exitCode !== null || child.signalCode !== null,
    exited: once(child, 'exit').then(([code]) => code),
  };
}

async function spawned(child: ChildProcess, file: string): Promise<void> {
  try {
    await once(child, 'spawn');
  } catch (error) {
    throw new Misconfigured(`The embedded PostgreSQL cannot run here (${file}: ${String(error)}): set DATABASE_URL.`);
  }
}

/**
 * A user that we switch to may be unable to enter a folder above its own data. The working directory is entered
 * as root, before the switch, and this name leads there without passing any folder above.
 */
function folderArgument({ runAs, dataFolder }: Site): string {
  return runAs && process.platform === 'linux' ? '/proc/self/cwd' : dataFolder;
}
