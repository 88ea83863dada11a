import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a folder that is removed when disposed. Declare it before its users, so that it outlives them. */
export async function newFolder(name: string, parent = tmpdir()): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(parent, `pawl-${name}-`));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }),
  };
}

const SHARED_MEMORY = '/dev/shm';

/** Returns the folder in which files are created fastest: in memory, if Linux offers enough memory. */
export async function fastestParent(): Promise<string> {
  try {
    const { bavail, bsize } = await statfs(SHARED_MEMORY);
    return bavail * bsize >= ENOUGH_BYTES ? SHARED_MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

const ENOUGH_BYTES = 4 * 2 ** 30;
