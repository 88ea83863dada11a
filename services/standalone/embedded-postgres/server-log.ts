import { closeSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Misconfigured } from '#core/failure.ts';

const MAX_BYTES = 10 * 1024 * 1024;
const TAIL_BYTES = 16 * 1024;
const TAIL_LINES = 10;

/** PostgreSQL's log file. `append` is a descriptor for child processes; `tail` gives the last lines since it was opened. */
export type ServerLog = { path: string; append: number; size(): number; tail(from?: number): string; close(): void };

/** Opens `<dataDir>/postgres.log` for the programs of PostgreSQL to write; past 10 MB the old one is put aside. */
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
    close: () => closeSync(append),
  };
}

function openForUs(path: string): number {
  try {
    return openSync(path, 'a', 0o600);
  } catch (error) {
    throw new Misconfigured(
      `Cannot write ${path} (${String(error)}): start Pawl as the user that it belongs to, ` +
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
