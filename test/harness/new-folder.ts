import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder, removed when it is disposed: declare it before what writes into it, so that it outlives that. */
export async function newFolder(name: string): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), `pawl-${name}-`));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }),
  };
}
