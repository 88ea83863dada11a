import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { aimedAt } from './aimed-at.ts';
import type { Fault } from './proof.ts';
import { signalPart } from './signal-part.ts';

/** SIGSTOP for longer than a lease, then SIGCONT: the worker wakes as a zombie that takes its steps for its own. */
export const pauseWorker: Fault = async ({ workers }, strike) => {
  const worker = aimedAt(workers, strike);
  const pid = await signalPart(worker, 'SIGSTOP');
  const pausedAt = Date.now();
  // Should the driver die meanwhile, the worker must wake all the same, to be ended.
  const guard = spawn('/bin/sh', ['-c', `sleep 30; kill -CONT ${pid}`], { stdio: 'ignore', detached: true });
  guard.unref();
  await sleep(100);
  const isStopped = / [Tt] /.test(await stateOf(pid));
  await sleep(strike.lastsMs);
  if (worker.pid() === pid) process.kill(pid, 'SIGCONT');
  guard.kill('SIGKILL');
  // Others take its work as soon as its holds have lapsed, so the fault is over for its turns when it begins.
  const fired = isStopped ? `${worker.name} (pid ${pid}) slept ${Date.now() - pausedAt} ms` : null;
  return { fired, endedAt: pausedAt, scope: worker.name };
};

/** What Linux says of a process; without /proc the signal has to be believed. */
async function stateOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') T ');
  return stat.slice(stat.lastIndexOf(')') + 1);
}
