import type { ChildProcess, StdioOptions } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Child, spawnChild } from './spawn-child.ts';

export type ProgramOptions = {
  /** The path of a TypeScript file from the root of the repository. */
  file: string;
  /** The root of another tree of the repository. */
  root?: string;
  nodeOptions?: string[];
  env: Record<string, string>;
  /** Matches the line that the program writes when it is ready. */
  ready: RegExp;
  output: OutputTarget;
  signal?: AbortSignal;
};

/** A running program. `address` is the first group that `ready` matched, or empty. */
export type Program = Pick<Child, 'pid' | 'hasEnded' | 'kill' | 'stop'> & {
  address: string;
  /** Resolves after the program has ended and all its output was read. */
  ended: Promise<End>;
};

/** The signal that ended a program, else its exit code. */
export type End = NodeJS.Signals | number | null;

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const START_TIMEOUT_MS = 60_000;
const POLL_MS = 25;

/** Starts a program of this repository as a separate process, and waits until it is ready. */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { file, root = ROOT, nodeOptions = [], env, ready, signal } = options;
  await using output = await openProgramOutput(options.output);
  const child = await spawnChild(process.execPath, [...nodeOptions, join(root, file)], {
    cwd: root,
    env: { ...surroundings(), ...env },
    stdio: output.stdio,
    // Ctrl-C in a terminal reaches the whole foreground group. The starter ends the program itself.
    detached: true,
    ...(signal ? { signal, killSignal: 'SIGKILL' } : {}),
  });
  if (!child) throw new Error(`${process.execPath} could not be started.`);

  const { pid, process: running, hasEnded, kill, stop } = child;
  const ended = new Promise<End>((resolve) => running.once('close', (code, endedBy) => resolve(endedBy ?? code)));
  output.follow(running);
  const match = await waitFor(ready, child, output);
  if (match) return { pid, hasEnded, kill, stop, ended, address: match[1] ?? '' };

  await kill('SIGKILL');
  throw new Error(`${file} did not start:\n${(await output.read()).slice(-2_000)}`);
}

/** Returns the environment without settings such as DATABASE_URL or an .env file, which would mislead a program. */
export function surroundings(): Record<string, string> {
  const { PATH = '', HOME = '/', TMPDIR, NODE_COMPILE_CACHE } = process.env;
  return {
    PATH,
    HOME,
    PAWL_ENV_FILE: devNull,
    ...(TMPDIR && { TMPDIR }),
    ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
  };
}

async function waitFor(ready: RegExp, child: Child, output: ProgramOutput): Promise<RegExpExecArray | null> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!child.hasEnded() && performance.now() < deadline) {
    const match = ready.exec(await output.read());
    if (match) return match;
    await pause(POLL_MS);
  }
  return null;
}

/** A file for the output of a program, or a function that gets each line. */
type OutputTarget = { file: string } | { onLine(line: string): void };

/** The output of a program from its start on. It is disposed when no test reads it any more. */
type ProgramOutput = AsyncDisposable & {
  stdio: StdioOptions;
  follow(child: ChildProcess): void;
  read(): Promise<string>;
};

/**
 * Opens the target. Output for a file does not pass through this process: a driver that measures must not read logs.
 */
async function openProgramOutput(target: OutputTarget): Promise<ProgramOutput> {
  return 'file' in target ? openFile(target.file) : openLines(target.onLine);
}

async function openFile(file: string): Promise<ProgramOutput> {
  const handle = await open(file, 'w');
  return {
    stdio: ['ignore', handle.fd, handle.fd],
    follow: () => {},
    read: () => readFile(file, 'utf8'),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

function openLines(onLine: (line: string) => void): ProgramOutput {
  let text: string | null = '';
  const readLine = (line: string) => {
    if (text !== null) text += `${line}\n`;
    onLine(line);
  };
  return {
    stdio: ['ignore', 'pipe', 'pipe'],
    follow: ({ stdout, stderr }) => {
      for (const stream of [stdout, stderr]) if (stream) createInterface({ input: stream }).on('line', readLine);
    },
    read: async () => text ?? '',
    // The lines are still read, but their text is no longer kept.
    [Symbol.asyncDispose]: async () => {
      text = null;
    },
  };
}
