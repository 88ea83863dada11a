import { open, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Child, spawnChild } from './spawn-child.ts';

/** A program of this repository; `file` is its path from the root, `name` its log's, `ready` what it logs once it works. */
export type ProgramWish = {
  file: string;
  name?: string;
  nodeOptions?: string[];
  env: Record<string, string>;
  ready: RegExp;
  folder: string;
};

/** A program that works; `said` is what its first group of `ready` caught. */
export type Program = { pid: number; said: string; stop(): Promise<void> };

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const START_TIMEOUT_MS = 30_000;
const POLL_MS = 25;

/** Starts a program in a process of its own, its log in a file, and waits until it works. */
export async function startProgram(wish: ProgramWish): Promise<Program> {
  const { file, name = basename(dirname(file)), nodeOptions = [], env, folder } = wish;
  const logFile = join(folder, `${name}.log`);
  await using log = await open(logFile, 'w');
  const program = await spawnChild(process.execPath, [...nodeOptions, join(ROOT, file)], {
    cwd: ROOT,
    // Nothing else of ours: settings of the surroundings must not change what is measured.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', log.fd, log.fd],
  });
  const said = await waitFor(wish.ready, program, logFile);
  if (said !== undefined) return { pid: program.pid ?? 0, said, stop: program.stop };

  await program.stop();
  throw new Error(`${file} did not start:\n${(await readFile(logFile, 'utf8')).slice(-2_000)}`);
}

async function waitFor(ready: RegExp, program: Child, logFile: string): Promise<string | undefined> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!program.hasEnded() && performance.now() < deadline) {
    const said = ready.exec(await readFile(logFile, 'utf8'));
    if (said) return said[1] ?? '';
    await pause(POLL_MS);
  }
  return undefined;
}
