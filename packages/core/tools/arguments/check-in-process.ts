import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { SCHEMA_BOUNDS } from '../../bounds/schema-bounds.ts';
import { takeTurns } from '../../bounds/take-turns.ts';
import type { SchemaAnswer, SchemaJob } from './schema-job.ts';

/** The answer of a process, or `out-of-memory` if the job ended the process. */
export type CheckedInProcess = SchemaAnswer | { kind: 'out-of-memory' };

type Waiting = SchemaJob & { resolve(answer: CheckedInProcess): void; reject(error: Error): void };

const waiting = takeTurns<Waiting>();
const running = new Set<string>();
const idle: ChildProcess[] = [];
let processes = 0;

/**
 * Compiles or checks in another process, which may run out of memory. Each project has one job at a time, and
 * projects take turns.
 */
export function checkInProcess(job: SchemaJob): Promise<CheckedInProcess> {
  return new Promise((resolve, reject) => {
    waiting.add(job.project, { ...job, resolve, reject });
    startWaiting();
  });
}

function startWaiting(): void {
  while (running.size < SCHEMA_BOUNDS.processes) {
    const next = waiting.take((project) => !running.has(project));
    if (!next) return;
    running.add(next.project);
    void run(next).finally(() => {
      running.delete(next.project);
      startWaiting();
    });
  }
}

async function run({ resolve, reject, ...job }: Waiting): Promise<void> {
  const used = idle.pop();
  try {
    let answer = used && (await ask(used, job));
    // An earlier job may have filled the memory of a used process, so a new process repeats this job.
    if (!answer || answer.kind === 'out-of-memory') answer = await ask(startProcess(), job);
    resolve(answer);
  } catch (error) {
    reject(error instanceof Error ? error : new Error(String(error)));
  }
}

/** Starts a process with an empty environment. It ends with this process and does not keep this process alive. */
function startProcess(): ChildProcess {
  const child = fork(fileURLToPath(new URL('./schema-job.ts', import.meta.url)), {
    env: {},
    execArgv: [`--max-old-space-size=${SCHEMA_BOUNDS.processHeapMb}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  processes += 1;
  child.once('exit', () => {
    processes -= 1;
    const at = idle.indexOf(child);
    if (at >= 0) idle.splice(at, 1);
  });
  // The job in the process handles its errors.
  child.on('error', () => {});
  keepNoProcess(child);
  return child;
}

function ask(child: ChildProcess, job: SchemaJob): Promise<CheckedInProcess> {
  child.ref();
  child.channel?.ref();
  return new Promise((resolve, reject) => {
    const settle = (then: () => void) => {
      child.off('message', onMessage).off('error', onError).off('exit', onExit);
      keepNoProcess(child);
      then();
    };
    const onMessage = (answer: unknown) => {
      idle.push(child);
      settle(() => resolve(answer as SchemaAnswer));
    };
    const onError = (error: Error) => settle(() => reject(error));
    // V8 or the kernel ends a process with a full heap.
    const onExit = () => settle(() => resolve({ kind: 'out-of-memory' }));
    child.on('message', onMessage).on('error', onError).on('exit', onExit);
    child.send(job);
  });
}

function keepNoProcess(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}

export function countProcesses(): number {
  return processes;
}
