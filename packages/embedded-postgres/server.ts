import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findFreePort } from './find-free-port.ts';
import { PostgresFailed } from './postgres-failed.ts';
import { type Program, type ProgramContext, serverFailed, spawnProgram } from './program.ts';

const POLL_MS = 10;
const START_TIMEOUT_MS = 120_000;
const PORT_ATTEMPTS = 5;

export type Server = { pid: number; port: number; exited: Promise<unknown>; stop(): Promise<void> };

/** Starts the server and waits until it accepts connections. Tries free ports if no port is given. */
export async function startServer(context: ProgramContext, durable: boolean, wantedPort?: number): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    const port = wantedPort ?? (await findFreePort());
    const from = context.log.size();
    const server = await launch(context, serverSettings({ dataFolder: context.dataFolder, port, durable }));
    if (await becomesReady(server, context)) return { ...server, port };

    await server.stop();
    const isPortTaken = context.log.tail(from).includes('could not bind');
    if (!isPortTaken) throw serverFailed('start', context.log);
    if (wantedPort !== undefined) throw portTaken(wantedPort);
    if (attempt === PORT_ATTEMPTS) throw serverFailed('start', context.log);
  }
}

type Launched = Program & Pick<Server, 'stop'>;

async function launch(context: ProgramContext, settings: string[]): Promise<Launched> {
  const program = await spawnProgram('postgres', settings, context);
  const release = watchOver(program.pid, context);
  let stopped: Promise<void> | undefined;
  return {
    ...program,
    stop: () => {
      stopped ??= stopPostmaster(program.pid, program.isGone).finally(release);
      return stopped;
    },
  };
}

/** Returns false if the server ends or takes too long. The time includes the replay of its log after a crash. */
async function becomesReady(server: Launched, context: ProgramContext): Promise<boolean> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!server.isGone() && performance.now() < deadline) {
    const found = readPostmasterFile(context.dataFolder);
    if (found?.pid === server.pid && found.ready) return true;
    await pause(POLL_MS);
  }
  return false;
}

function portTaken(port: number): PostgresFailed {
  return new PostgresFailed(
    `The embedded PostgreSQL cannot listen on 127.0.0.1:${port}, which another program uses. Choose another port.`,
  );
}

type ServerOptions = { dataFolder: string; port: number; durable: boolean };

/** Returns command-line arguments for a small, private, durable server. Each start passes them again. */
function serverSettings({ dataFolder, port, durable }: ServerOptions): string[] {
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    // A socket file needs a short path that the user can write. TCP with a password needs neither.
    'unix_socket_directories=',
    'max_connections=200',
    'jit=off',
    'timezone=UTC',
    'log_timezone=UTC',
    'log_checkpoints=off',
    // Statements may contain users' texts. The client reports failures in its own words.
    'log_min_error_statement=panic',
    'log_error_verbosity=terse',
    folderMark(dataFolder),
    ...(durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']),
  ];
  return settings.flatMap((setting) => ['-c', setting]);
}

/**
 * Returns a setting without effect that marks the server's command line with its folder. The colon ends the name, so
 * that /data differs from /data2.
 */
function folderMark(dataFolder: string): string {
  return `pawl.folder=${dataFolder}:`;
}

/** Waits until its input ends, then stops the server, if that still has this process id. */
const SCRIPT = 'cat > /dev/null; read -r pid < postmaster.pid && [ "$pid" = "$1" ] && kill -INT "$pid"';

/**
 * Stops the server if this process dies without stopping it. A shell reads a pipe that the kernel closes with this
 * process. The returned function ends the shell.
 */
function watchOver(pid: number, { dataFolder, runAs }: ProgramContext): () => void {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'pawl-watch', String(pid)], {
    ...runAs,
    cwd: dataFolder,
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // Without the shell, the next start on the folder stops the server.
  shell.on('error', () => {});
  shell.unref();
  return () => shell.kill('SIGKILL');
}

/**
 * Stops a server that a killed owner left running on this folder. The caller has locked the folder, so that server
 * has no owner.
 */
export async function stopOrphan(dataFolder: string): Promise<void> {
  const left = readPostmasterFile(dataFolder);
  if (!left || !isAlive(left.pid)) return;

  const isGone = () => !isServerOf(dataFolder, left.pid);
  if (!isGone()) return stopPostmaster(left.pid, isGone);

  // Another process has the number now, and PostgreSQL would permanently take it for another server. If a backend
  // outlived its server, the start still fails, since its shared memory is found by the folder.
  rmSync(join(dataFolder, 'postmaster.pid'), { force: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Reads the command line, which every user may read, even root in a container without the right to trace. */
function isServerOf(dataFolder: string, pid: number): boolean {
  try {
    return commandOf(pid).includes(folderMark(dataFolder));
  } catch {
    return false;
  }
}

function commandOf(pid: number): string {
  if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
}

const STOP_GRACE_MS = 10_000;
const STOP_POLL_MS = 10;

/**
 * Stops a PostgreSQL server with a fast shutdown, and after 10 s with an immediate shutdown, which the next start
 * recovers. `isGone` must test that process itself, since its number may belong to another process afterwards.
 */
async function stopPostmaster(pid: number, isGone: () => boolean): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (isGone()) return;
    process.kill(pid, signal);
    if (await becomesTrue(isGone)) return;
  }
  throw new Error(`PostgreSQL (process ${pid}) did not stop.`);
}

async function becomesTrue(isSo: () => boolean): Promise<boolean> {
  const deadline = performance.now() + STOP_GRACE_MS;
  while (performance.now() < deadline) {
    if (isSo()) return true;
    await pause(STOP_POLL_MS);
  }
  return isSo();
}

const STATUS_LINE = 7;

/** Reads `postmaster.pid`, which a running server keeps and a killed server leaves. */
function readPostmasterFile(dataFolder: string): { pid: number; ready: boolean } | undefined {
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
