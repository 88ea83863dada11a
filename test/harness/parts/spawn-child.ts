import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

/** A process that ends when this process ends in any way. */
export type Child = {
  pid: number;
  process: ChildProcess;
  hasEnded(): boolean;
  /** Sends a signal and waits for the end. Resolves with the exit code, or null if a signal ended the process. */
  kill(signal: NodeJS.Signals): Promise<number | null>;
  /** Sends SIGTERM, and SIGKILL if the process has not ended after 20 s. */
  stop(): Promise<void>;
};

const STOP_TIMEOUT_MS = 20_000;

/** Starts a program. Returns null if no program has this name. */
export async function spawnChild(command: string, args: string[], options: SpawnOptions): Promise<Child | null> {
  const child = spawn(command, args, options);
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  if (!(await hasSpawned(child))) return null;

  const release = endWithParent(child.pid ?? 0);
  void exited.then(release);
  return {
    pid: child.pid ?? 0,
    process: child,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    kill: (signal) => {
      child.kill(signal);
      return exited;
    },
    stop: async () => {
      child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(force);
    },
  };
}

function hasSpawned(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(true));
    // Node may also emit it after the start: an aborted `signal` is reported as an error.
    child.on('error', () => resolve(false));
  });
}

/** Kills the child with this process: a shell waits at a pipe that the kernel closes when this process ends. */
function endWithParent(pid: number): () => void {
  const script = `cat > /dev/null; kill -KILL ${pid}`;
  const shell = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  shell.on('error', () => {});
  shell.unref();
  return () => shell.kill('SIGKILL');
}
