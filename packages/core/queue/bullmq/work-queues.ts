import { setTimeout as sleep } from 'node:timers/promises';
import type { JobData, JobName } from '../job.ts';
import type { JobHandler, JobWorkers } from '../job-queue.ts';
import type { Backend, BullWorker } from './backend.ts';

/** The time that a start waits for a queue that is away. Its workers take jobs when it is back. */
const READY_MS = 5_000;

const REOPEN_MS = 1_000;

/** The time for which a turn keeps a slot that others may wait for. After that, its next step is enqueued. */
const SLOT_IS_KEPT_MS = 1_000;

/** Starts a BullMQ worker for each queue. All workers give their jobs to one handler. */
export async function workQueues(
  backend: Backend,
  queues: string[],
  { handle, concurrency }: { handle: JobHandler; concurrency: number },
): Promise<JobWorkers> {
  const workers = new Map<string, BullWorker>();
  const closing = new AbortController();
  let slots = concurrency;
  const open = async (name: string) => {
    const start = () => startWorker(backend, name, { handle, concurrency: slots, closing: closing.signal });
    for await (const worker of untilOpen(start, closing.signal)) workers.set(name, worker);
  };
  await Promise.race([Promise.all(queues.map(open)), sleep(READY_MS, undefined, { ref: false })]);

  return {
    resize: (concurrency) => {
      slots = concurrency;
      for (const worker of workers.values()) worker.concurrency = concurrency;
    },
    close: async (graceMs) => {
      closing.abort();
      const closed = Promise.all([...workers.values()].map((worker) => worker.close().catch(() => {})));
      await Promise.race([closed, sleep(graceMs, undefined, { ref: false })]);
    },
  };
}

type Work = { handle: JobHandler; concurrency: number; closing: AbortSignal };

function startWorker(backend: Backend, name: string, { handle, concurrency, closing }: Work): BullWorker {
  const process = async (job: { name: string; data: JobData }) => {
    const startedAt = performance.now();
    const keepsSlot = () => worker.hasFreeSlot() || performance.now() - startedAt < SLOT_IS_KEPT_MS;
    await handle({
      name: job.name as JobName,
      data: job.data,
      // A worker that closes takes no more jobs.
      handsOver: () => (closing.aborted ? null : name),
      mayContinue: (queue) => queue === name && !closing.aborted && keepsSlot(),
    });
  };
  const worker = backend.makeWorker(name, process, concurrency);
  worker.on('error', () => {});
  return worker;
}

/**
 * Starts workers until a worker is open. BullMQ opens a worker only once, so a worker that found its queue away is
 * replaced.
 */
async function* untilOpen(start: () => BullWorker, closing: AbortSignal): AsyncGenerator<BullWorker> {
  while (!closing.aborted) {
    const worker = start();
    yield worker;
    const isOpen = await worker.waitUntilReady().then(
      () => true,
      () => false,
    );
    if (isOpen || closing.aborted) return;
    void worker.close().catch(() => {});
    await sleep(REOPEN_MS, undefined, { ref: false });
  }
}
