import { setTimeout as sleep } from 'node:timers/promises';
import type { Backend, BullWorker } from './backend.ts';
import type { Answering, JobHandler } from './bell.ts';
import type { JobName } from './job.ts';

/** How long a start waits for a queue that is away; its workers answer once it is back. */
const READY_MS = 5_000;

/** Starts a BullMQ worker for each queue; all of them hand their jobs to one handler. */
export async function answerQueues(
  backend: Backend,
  queues: string[],
  { handle, concurrency }: { handle: JobHandler; concurrency: number },
): Promise<Answering> {
  const workers = new Map(queues.map((name) => [name, startWorker(backend, name, { handle, concurrency })]));
  const resumptions = new Set<NodeJS.Timeout>();
  const ready = Promise.all([...workers.values()].map((worker) => worker.waitUntilReady().catch(() => {})));
  await Promise.race([ready, sleep(READY_MS, undefined, { ref: false })]);

  return {
    pause: (queue, forMs) => pauseFor(workers.get(queue), forMs, resumptions),
    close: async (graceMs) => {
      for (const timer of resumptions) clearTimeout(timer);
      const closed = Promise.all([...workers.values()].map((worker) => worker.close().catch(() => {})));
      await Promise.race([closed, sleep(graceMs, undefined, { ref: false })]);
    },
  };
}

function startWorker(
  backend: Backend,
  name: string,
  { handle, concurrency }: { handle: JobHandler; concurrency: number },
): BullWorker {
  const process = async (job: { name: string; data: Parameters<JobHandler>[0]['data'] }) =>
    handle({ name: job.name as JobName, data: job.data });
  const worker = backend.makeWorker(name, process, concurrency);
  worker.on('error', () => {});
  return worker;
}

function pauseFor(worker: BullWorker | undefined, forMs: number, resumptions: Set<NodeJS.Timeout>): void {
  if (!worker || worker.isPaused()) return;
  void worker.pause(true);
  const timer = setTimeout(() => {
    resumptions.delete(timer);
    worker.resume();
  }, forMs);
  resumptions.add(timer);
}
