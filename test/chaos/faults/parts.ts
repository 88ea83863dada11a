import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Part } from '../open-harness.ts';
import { aimedAt, type Fault, type FaultOutcome } from './fault.ts';

/** Kills a worker with SIGKILL. Another process takes its name a little later. */
export const killWorker: Fault = ({ workers }, scheduled) => kill(aimedAt(workers, scheduled), scheduled.lastsMs);

/** Kills an API with SIGKILL, in the middle of requests and streams. */
export const killApi: Fault = async ({ apis }, scheduled) => ({
  ...(await kill(aimedAt(apis, scheduled), scheduled.lastsMs)),
  scope: 'none',
});

/** Kills a part. A part that another fault has just ended is started first: otherwise there is no process to kill. */
async function kill(part: Part, awayMs: number): Promise<FaultOutcome> {
  await part.start();
  const pid = part.pid();
  await part.kill();
  const endedAt = Date.now();
  await sleep(awayMs);
  await part.start();
  return { evidence: pid > 0 ? `${part.name} (pid ${pid}) is dead` : null, endedAt, scope: part.name };
}

/**
 * Ends a worker with SIGTERM, as a deploy does: it hands its unfinished work back, and another process takes its
 * name.
 */
export const rollWorker: Fault = ({ workers }, scheduled) => roll(aimedAt(workers, scheduled), scheduled.lastsMs);

/** Ends an API with SIGTERM: its streams end, and clients resume at another API. */
export const rollApi: Fault = async ({ apis }, scheduled) => ({
  ...(await roll(aimedAt(apis, scheduled), scheduled.lastsMs)),
  scope: 'none',
});

/** Ends a part. A part that another fault has just ended is started first. */
async function roll(part: Part, awayMs: number): Promise<FaultOutcome> {
  await part.start();
  const pid = part.pid();
  const requestedAt = Date.now();
  await part.stop();
  const endedAt = Date.now();
  await sleep(awayMs);
  await part.start();
  return { evidence: pid > 0 ? `${part.name} ended in ${endedAt - requestedAt} ms` : null, endedAt, scope: part.name };
}

/**
 * Stops a worker with SIGSTOP for longer than a lease, then sends SIGCONT: the worker resumes steps that it has lost.
 */
export const pauseWorker: Fault = async ({ workers }, scheduled) => {
  const worker = aimedAt(workers, scheduled);
  const pid = await signalPart(worker, 'SIGSTOP');
  const pausedAt = Date.now();
  await sleep(100);
  const isStopped = / [Tt] /.test(await stateOf(pid));
  await sleep(scheduled.lastsMs);
  if (worker.pid() === pid) process.kill(pid, 'SIGCONT');
  // Others take its work when its leases have expired, so for its turns the fault ends when it begins.
  const evidence = isStopped ? `${worker.name} (pid ${pid}) was stopped for ${Date.now() - pausedAt} ms` : null;
  return { evidence, endedAt: pausedAt, scope: worker.name };
};

/** Returns the state of a process on Linux. Without /proc the process is assumed to be stopped. */
async function stateOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') T ');
  return stat.slice(stat.lastIndexOf(')') + 1);
}

const POLL_MS = 50;
const TIMEOUT_MS = 2_000;

/** Makes a worker's wall clock jump by hours while it works, and back (harness/parts/skewed-clock.ts). */
export const skewWorker: Fault = async ({ workers }, scheduled) => {
  const worker = aimedAt(workers, scheduled);
  const pid = await signalPart(worker, 'SIGUSR2');
  const shiftMs = await loggedShift(worker);
  await sleep(scheduled.lastsMs);
  if (worker.pid() === pid) process.kill(pid, 'SIGUSR2');
  const evidence = shiftMs ? `the clock of ${worker.name} jumped by ${shiftMs / 1_000} s` : null;
  return { evidence, endedAt: Date.now(), scope: 'none' };
};

/** Replaces a worker by a process with a clock that is hours off, and later kills that process. */
export const misdateWorker: Fault = async ({ workers }, scheduled) => {
  const worker = aimedAt(workers, scheduled);
  await worker.start();
  await worker.kill();
  await worker.start({ PAWL_CHAOS_SKEWED: '1' });
  const shiftMs = await loggedShift(worker);
  await sleep(scheduled.lastsMs);
  await worker.kill();
  const endedAt = Date.now();
  await worker.start();
  const evidence = shiftMs ? `the clock of ${worker.name} was ${shiftMs / 3_600_000} h off` : null;
  return { evidence, endedAt, scope: worker.name };
};

/** Returns the last shift in the worker's log, or 0 if none is logged in time. */
async function loggedShift(worker: Part): Promise<number> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (performance.now() < deadline) {
    const log = await readFile(worker.logFiles().at(-1) ?? '', 'utf8');
    const shifts = [...log.matchAll(/"clock shifted","shiftMs":(-?\d+)/g)];
    const last = Number(shifts.at(-1)?.[1] ?? 0);
    if (last !== 0) return last;
    await sleep(POLL_MS);
  }
  return 0;
}

const RETRY_MS = 100;

/** Sends a signal to the present process of a part, and returns its id. A part that has just ended is started first. */
async function signalPart(part: Part, signal: NodeJS.Signals): Promise<number> {
  for (;;) {
    await part.start();
    const pid = part.pid();
    if (pid > 0 && sendSignal(pid, signal)) return pid;
    await sleep(RETRY_MS);
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
