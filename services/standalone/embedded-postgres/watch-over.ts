import { spawn } from 'node:child_process';
import type { Site } from './spawn-program.ts';

/** Waits until its input ends, then stops the server, if that still is the one it was told to watch over. */
const SCRIPT = 'cat > /dev/null; read -r pid < postmaster.pid && [ "$pid" = "$1" ] && kill -INT "$pid"';

/**
 * Has the server stopped when this process dies without having stopped it: a shell waits at the other end of a pipe
 * that the kernel closes with us. The returned function lets the shell go.
 */
export function watchOver(pid: number, { dataFolder, runAs }: Site): () => void {
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
