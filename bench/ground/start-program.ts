import { open, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Child, spawnChild } from './spawn-child.ts';

/** A program of this repository; `file` is its path from the root, `readyUrl` answers 200 once it works. */
export type ProgramWish = {
  file: string;
  nodeOptions?: string[];
  env: Record<string, string>;
  readyUrl: string;
  folder: string;
};

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const START_TIMEOUT_MS = 30_000;
const POLL_MS = 25;

/** Starts a program in a process of its own, its log in a file, and waits until it works. */
export async function startProgram(wish: ProgramWish): Promise<{ pid: number; stop(): Promise<void> }> {
  const { file, nodeOptions = [], env, folder, readyUrl } = wish;
  const logFile = join(folder, `${basename(dirname(file))}.log`);
  await using log = await open(logFile, 'w');
  const program = await spawnChild(process.execPath, [...nodeOptions, join(ROOT, file)], {
    cwd: ROOT,
    // Nothing else of ours: settings of the surroundings must not change what is measured.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', log.fd, log.fd],
  });
  if (await becomesReady(program, readyUrl)) return { pid: program.pid ?? 0, stop: program.stop };

  await program.stop();
  throw new Error(`${file} did not start:\n${(await readFile(logFile, 'utf8')).slice(-2_000)}`);
}

async function becomesReady(program: Child, url: string): Promise<boolean> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!program.hasEnded() && performance.now() < deadline) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.ok) return true;
    await pause(POLL_MS);
  }
  return false;
}
