import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A process of ours; `pid` is undefined where there is no such program. */
export type Child = { pid: number | undefined; hasEnded(): boolean; stop(): Promise<void> };

const PATIENCE_MS = 20_000;

/** Starts a program that ends with us, however we end; `stop` ends it by force if it does not go in 20 s. */
export async function spawnChild(command: string, args: string[], options: SpawnOptions): Promise<Child> {
  const child = spawn(command, args, options);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  if (!(await hasSpawned(child))) return { pid: undefined, hasEnded: () => true, stop: async () => {} };
  const letGo = watchOver(child.pid ?? 0);
  return { pid: child.pid, hasEnded, stop: () => stop(child).finally(letGo) };

  async function stop(running: ChildProcess): Promise<void> {
    if (hasEnded()) return;
    const exited = once(running, 'exit');
    running.kill('SIGTERM');
    const force = setTimeout(() => running.kill('SIGKILL'), PATIENCE_MS);
    await exited;
    clearTimeout(force);
  }
}

function hasSpawned(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(true));
    child.once('error', () => resolve(false));
  });
}

/** A shell waits at the other end of a pipe that the kernel closes with us, and then ends the child. */
function watchOver(pid: number): () => void {
  const script = `cat > /dev/null; kill -TERM ${pid}`;
  const shell = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  shell.on('error', () => {});
  shell.unref();
  return () => shell.kill('SIGKILL');
}
