import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import postgres from 'postgres';
import { expect, onTestFinished } from 'vitest';
import { type EmbeddedPostgres, startPostgres } from '#embedded-postgres/start-postgres.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

/** Adds a clean-up for the end of the current test. The last clean-up runs first. */
export function afterTest(cleanUp: () => unknown): void {
  onTestFinished(async () => {
    await cleanUp();
  });
}

/** Starts a server that ends with the test. */
export async function start(dataDir: string): Promise<EmbeddedPostgres> {
  const pg = await startPostgres({ dataDir, durable: false });
  afterTest(pg.stop);
  return pg;
}

/** Creates a folder that only its owner can enter, and removes the folder after the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-postgres-'));
  afterTest(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  return folder;
}

export async function query(url: string, text: string, parameters: string[] = []): Promise<unknown[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return [...(await sql.unsafe(text, parameters))];
  } finally {
    await sql.end();
  }
}

/**
 * Another process, in a separate group, that owns a server. It writes a line at Ctrl-C, and ends at the end of its
 * input.
 */
export type Owner = { process: ChildProcess; lines: ReturnType<typeof createInterface>; url: string; pid: number };

/** Spawns a process that starts a server on a folder. */
export function spawnOwner(dataDir: string): ChildProcess {
  const code = `
    import { startPostgres } from '#embedded-postgres/start-postgres.ts';
    process.on('SIGINT', () => console.log('still here'));
    const pg = await startPostgres({ dataDir: ${JSON.stringify(dataDir)}, durable: false });
    console.log(JSON.stringify({ url: pg.url, pid: pg.pid }));
    process.stdin.resume();`;
  const owner = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: join(import.meta.dirname, '../..'),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  afterTest(() => owner.kill('SIGKILL'));
  return owner;
}

/** Waits until another process owns a running server. Fails with the errors of that process. */
export async function startOwner(dataDir: string): Promise<Owner> {
  const owner = spawnOwner(dataDir);
  const lines = createInterface({ input: owner.stdout! });
  let errors = '';
  owner.stderr!.on('data', (chunk) => {
    errors += chunk;
  });
  const [line] = await Promise.race([
    once(lines, 'line'),
    once(owner, 'close').then(() => {
      throw new Error(errors);
    }),
  ]);
  const { url, pid } = JSON.parse(line);
  afterTest(async () => {
    owner.kill('SIGKILL');
    await waitUntil(() => expect(isAlive(pid)).toBe(false));
  });
  return { process: owner, lines, url, pid };
}

/** Returns whether a process runs. A process that ended, and is not reaped yet, does not run. */
export function isAlive(pid: number): boolean {
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return false;
  }
}
