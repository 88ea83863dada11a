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

/** A server that takes connections on `port`. */
export type Server = { pid: number; port: number; exited: Promise<unknown>; stop(): Promise<void> };

/** Starts the server and waits until it takes connections; without a wanted port it tries free ones. */
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

/** False when the server ends or takes too long; the time includes replaying its log after a crash. */
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
    `The embedded PostgreSQL cannot listen on 127.0.0.1:${port}, as another program does: choose another port.`,
  );
}

type ServerOptions = { dataFolder: string; port: number; durable: boolean };

/** The command line arguments that make a small, private, durable server; given at each start, never stored. */
function serverSettings({ dataFolder, port, durable }: ServerOptions): string[] {
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    // A socket file needs a short path that the user can write; TCP with a password needs neither.
    'unix_socket_directories=',
    'max_connections=200',
    'jit=off',
    'timezone=UTC',
    'log_timezone=UTC',
    'log_checkpoints=off',
    // Statements may carry users' texts; the client reports failures in its own words.
    'log_min_error_statement=panic',
    'log_error_verbosity=terse',
    folderMark(dataFolder),
    ...(durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']),
  ];
  return settings.flatMap((setting) => ['-c', setting]);
}

/**
 * A setting without effect that names the folder on the command line, so that the server can be distinguished from others.
 * The colon ends the name: /data is not /data2.
 */
function folderMark(dataFolder: string): string {
  return `pawl.folder=${dataFolder}:`;
}

/** Waits until its input ends, then stops the server, if that still is the one with this process id. */
const SCRIPT = 'cat > /dev/null; read -r pid < postmaster.pid && [ "$pid" = "$1" ] && kill -INT "$pid"';

/**
 * Stops the server when this process dies without having stopped it. A shell waits at the other end of a pipe that the
 * kernel closes with this process. The returned function ends the shell.
 */
function watchOver(pid: number, { dataFolder, runAs }: ProgramContext): () => void {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'pawl-watch', String(pid)], {
    ...runAs,
    cwd: dataFolder,
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // Without it the server is stopped by the next start on its folder.
  shell.on('error', () => {});
  shell.unref();
  return () => shell.kill('SIGKILL');
}

/**
 * Stops the server that a killed owner left running on this folder. The caller has locked the folder, so a server that
 * still runs here has no owner any more.
 */
export async function stopOrphan(dataFolder: string): Promise<void> {
  const left = readPostmasterFile(dataFolder);
  if (!left || !isAlive(left.pid)) return;

  const isGone = () => !isServerOf(dataFolder, left.pid);
  if (!isGone()) return stopPostmaster(left.pid, isGone);

  // The number belongs to another process by now, which PostgreSQL would take for another server for ever.
  // Should a backend have outlived its server, the start still fails: its shared memory is found by the folder.
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
 * Stops a PostgreSQL server: fast shutdown, after 10 s an immediate one (the next start then replays its log).
 * `isGone` must speak of that very process, since its number may belong to another one afterwards.
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

/** Reads `postmaster.pid`, which a server keeps while it runs and leaves behind when it is killed. */
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
