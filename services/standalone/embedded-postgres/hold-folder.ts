import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Misconfigured } from '#core/failure.ts';

const SQLITE_BUSY = 5;

/** Keeps the locks from the garbage collector, which would close them. */
const held = new Set<DatabaseSync>();

/**
 * Keeps every other Pawl off a data folder until the returned function is called or this process ends.
 * The lock is SQLite's: Node has no file lock of its own, and this one the kernel drops however we die.
 */
export function holdFolder(dataDir: string): () => void {
  const lock = takeLock(dataDir);
  held.add(lock);
  return () => {
    if (held.delete(lock)) lock.close();
  };
}

function takeLock(dataDir: string): DatabaseSync {
  try {
    const lock = new DatabaseSync(join(dataDir, 'postgres.lock'), { timeout: 0 });
    lock.exec('pragma journal_mode = memory; begin exclusive');
    return lock;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) {
      throw new Misconfigured(
        `Another Pawl already runs on the data folder ${dataDir}: stop it, or set PAWL_DATA_DIR to another folder.`,
      );
    }
    throw new Misconfigured(
      `Cannot lock the data folder ${dataDir} (${String(error)}): set PAWL_DATA_DIR to a folder that you can write.`,
    );
  }
}
