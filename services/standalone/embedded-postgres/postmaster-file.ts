import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const STATUS_LINE = 7;

/** What a PostgreSQL server says of itself in its folder. */
export type Postmaster = { pid: number; ready: boolean };

/** Reads `postmaster.pid`, which a server keeps while it runs and leaves behind when it is killed. */
export function readPostmasterFile(dataFolder: string): Postmaster | undefined {
  const lines = readIfThere(join(dataFolder, 'postmaster.pid')).split('\n');
  const pid = Number.parseInt(lines[0] ?? '', 10);
  return pid > 0 ? { pid, ready: lines[STATUS_LINE]?.trim() === 'ready' } : undefined;
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}
