import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { RunAs } from './binaries.ts';
import { type ProgramContext, serverFailed, spawnProgram } from './program.ts';

const UNFINISHED = 'postgres.new-';

/**
 * Makes `<dataDir>/postgres` with an empty database cluster in `data` and the password of its user `pawl`. A rename
 * at the end makes it appear whole or not at all. Removes the leftovers of a killed attempt.
 */
export async function createCluster(
  dataDir: string,
  context: Omit<ProgramContext, 'dataFolder'>,
  durable: boolean,
): Promise<void> {
  removeUnfinished(dataDir);
  const unfinished = mkdtempSync(join(dataDir, UNFINISHED));
  prepareFolder(unfinished, context.runAs);
  await runInitdb({ ...context, dataFolder: join(unfinished, 'data') }, durable);
  saveFolder(unfinished);
  renameSync(unfinished, join(dataDir, 'postgres'));
  saveFolder(dataDir);
  // An initdb that outlived its killed owner may have created its folder again. It has ended by now.
  removeUnfinished(dataDir);
}

function removeUnfinished(dataDir: string): void {
  for (const name of readdirSync(dataDir).filter((entry) => entry.startsWith(UNFINISHED))) {
    rmSync(join(dataDir, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

function prepareFolder(unfinished: string, runAs: RunAs | undefined): void {
  const data = join(unfinished, 'data');
  const password = join(unfinished, 'password');
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(password, randomBytes(24).toString('hex'), { mode: 0o600, flush: true });
  if (!runAs) return;
  // Root keeps the folder, so that no other user can replace the password before root reads it.
  chmodSync(unfinished, 0o711);
  for (const path of [data, password]) chownSync(path, runAs.uid, runAs.gid);
}

async function runInitdb(context: ProgramContext, durable: boolean): Promise<void> {
  const args = ['--username=pawl', '--pwfile=../password', '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C'];
  args.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions');
  if (!durable) args.push('--no-sync');
  const initdb = await spawnProgram('initdb', args, context);
  if ((await initdb.exited) === 0) return;
  throw serverFailed('create its data folder', context.log);
}

/** Flushes the names in a folder to the disk. Windows has no such call, and NTFS logs new names itself. */
function saveFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const file = openSync(folder, 'r');
  fsyncSync(file);
  closeSync(file);
}
