import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readPostmasterFile } from './postmaster-file.ts';
import { folderMark } from './server-settings.ts';
import { stopPostmaster } from './stop-postmaster.ts';

/**
 * Stops the server that a killed Pawl left running on this folder. Whoever calls holds the folder,
 * so a server that still runs here has no owner any more.
 */
export async function stopOrphan(dataFolder: string): Promise<void> {
  const left = readPostmasterFile(dataFolder);
  if (!left || !isAlive(left.pid)) return;

  const isGone = () => !isServerOf(dataFolder, left.pid);
  if (!isGone()) return stopPostmaster(left.pid, isGone);

  // The number belongs to another process by now, which PostgreSQL would take for a rival for ever.
  // Should a backend have outlived its server, the start still fails: its shared memory is found by the folder.
  rmSync(join(dataFolder, 'postmaster.pid'), { force: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Asks the command line, which every user may read, even root in a container without the right to trace. */
function isServerOf(dataFolder: string, pid: number): boolean {
  try {
    return commandOf(pid).includes(folderMark(dataFolder));
  } catch {
    return false;
  }
}

function commandOf(pid: number): string {
  if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
}
