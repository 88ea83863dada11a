import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Part } from '../open-harness.ts';
import { aimedAt, type Fault, type FaultOutcome } from './fault.ts';

/** SIGKILL for a worker; another process takes its name a little later. */
export const killWorker: Fault = ({ workers }, scheduled) => kill(aimedAt(workers, scheduled), scheduled.lastsMs);

/** SIGKILL for an API, in the middle of requests and streams. */
export const killApi: Fault = async ({ apis }, scheduled) => ({
  ...(await kill(aimedAt(apis, scheduled), scheduled.lastsMs)),
  scope: 'none',
});

/** A part that another fault has just ended is started first: otherwise there is nothing to kill. */
async function kill(part: Part, awayMs: number): Promise<FaultOutcome> {
  await part.start();
  const pid = part.pid();
  await part.kill();
  const endedAt = Date.now();
  await sleep(awayMs);
  await part.start();
  return { evidence: pid > 0 ? `${part.name} (pid ${pid}) is dead` : null, endedAt, scope: part.name };
}

/** SIGTERM for a worker, as a deploy does it: it hands back what it cannot finish, ends, and another process takes its name. */
export const rollWorker: Fault = ({ workers }, scheduled) => roll(aimedAt(workers, scheduled), scheduled.lastsMs);

/** SIGTERM for an API: its streams end, and clients resume elsewhere. */
export const rollApi: Fault = async ({ apis }, scheduled) => ({
  ...(await roll(aimedAt(apis, scheduled), scheduled.lastsMs)),
  scope: 'none',
});

/** A part that another fault has just ended is started first. */
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

/** SIGSTOP for longer than a lease, then SIGCONT: the worker resumes steps that are no longer its own. */
export const pauseWorker: Fault = async ({ workers }, scheduled) => {
  const worker = aimedAt(workers, scheduled);
  const pid = await signalPart(worker, 'SIGSTOP');
  const pausedAt = Date.now();
  await sleep(100);
  const isStopped = / [Tt] /.test(await stateOf(pid));
  await sleep(scheduled.lastsMs);
  if (worker.pid() === pid) process.kill(pid, 'SIGCONT');
  // Others take its work as soon as its leases have lapsed, so for its turns the fault ends when it begins.
  const evidence = isStopped ? `${worker.name} (pid ${pid}) was stopped for ${Date.now() - pausedAt} ms` : null;
  return { evidence, endedAt: pausedAt, scope: worker.name };
};

/** The state of a process by Linux; without /proc it is assumed to be stopped. */
async function stateOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') T ');
  return stat.slice(stat.lastIndexOf(')') + 1);
}

const POLL_MS = 50;
const TIMEOUT_MS = 2_000;

/** A worker's wall clock jumps by hours while it works, and back again (harness/parts/skewed-clock.ts). */
export const skewWorker: Fault = async ({ workers }, scheduled) => {
  const worker = aimedAt(workers, scheduled);
  const pid = await signalPart(worker, 'SIGUSR2');
  const shiftMs = await loggedShift(worker);
  await sleep(scheduled.lastsMs);
  if (worker.pid() === pid) process.kill(pid, 'SIGUSR2');
  const evidence = shiftMs ? `the clock of ${worker.name} jumped by ${shiftMs / 1_000} s` : null;
  return { evidence, endedAt: Date.now(), scope: 'none' };
};

/** A worker is killed, and the process in its place has a clock that is hours off; it is killed in its turn. */
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

/** The last shift in the worker's log; 0 where there is none in time. */
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

/** Sends a signal to the process that a part is now, and returns its id. A part that has just ended is started first. */
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
