import { Worker } from 'node:worker_threads';
import { SCHEMA_BOUNDS } from '../../bounds/schema-bounds.ts';
import { takeTurns } from '../../bounds/take-turns.ts';
import type { ThreadAnswer, ThreadJob } from './thread-job.ts';

/** What a thread answers; `out-of-memory` if the job ended it. */
export type CheckedInThread = ThreadAnswer | { kind: 'out-of-memory' };

type Waiting = ThreadJob & { resolve(answer: CheckedInThread): void; reject(error: Error): void };

const waiting = takeTurns<Waiting>();
const running = new Set<string>();
const idle: Worker[] = [];
let threads = 0;

/** Compiles or checks beside the event loop. Projects take turns, and each has one job at a time in a thread. */
export function checkInThread(job: ThreadJob): Promise<CheckedInThread> {
  return new Promise((resolve, reject) => {
    waiting.add(job.project, { ...job, resolve, reject });
    startWaiting();
  });
}

function startWaiting(): void {
  while (running.size < SCHEMA_BOUNDS.threads) {
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
  const thread = idle.pop() ?? startThread();
  try {
    resolve(await ask(thread, job));
    idle.push(thread);
  } catch (error) {
    threads -= 1;
    if (isOutOfMemory(error)) resolve({ kind: 'out-of-memory' });
    else reject(error instanceof Error ? error : new Error(String(error)));
  } finally {
    // An idle thread keeps no process from its end.
    thread.unref();
  }
}

/** A thread gets nothing of the environment, and the flags of the process only as far as it needs them. */
function startThread(): Worker {
  threads += 1;
  const resourceLimits = { maxOldGenerationSizeMb: SCHEMA_BOUNDS.threadHeapMb };
  return new Worker(new URL('./thread-job.ts', import.meta.url), { env: {}, execArgv: [], resourceLimits });
}

function ask(thread: Worker, job: ThreadJob): Promise<ThreadAnswer> {
  thread.ref();
  return new Promise((resolve, reject) => {
    const settle = (then: () => void) => {
      thread.off('message', onMessage).off('error', onError).off('exit', onExit);
      then();
    };
    const onMessage = (answer: ThreadAnswer) => settle(() => resolve(answer));
    const onError = (error: Error) => settle(() => reject(error));
    const onExit = (code: number) => settle(() => reject(new Error(`a thread that checks schemas ended with ${code}`)));
    thread.on('message', onMessage).on('error', onError).on('exit', onExit);
    thread.postMessage(job);
  });
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** Counts the threads that run. */
export function countThreads(): number {
  return threads;
}
