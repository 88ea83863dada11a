import type { JobHandler, JobQueue, JobWorkers } from './job-queue.ts';

type WorkedStore = { jobQueue: Pick<JobQueue, 'work'>; isOpen(): boolean };

type Work = { queues: string[]; handle: JobHandler; concurrency: number };

const RESIZE_EVERY_MS = 1_000;

/**
 * Runs the jobs of several stores. Each store has its share of the slots. Other stores get the share of an
 * unavailable store.
 */
export async function workStores(stores: WorkedStore[], { queues, handle, concurrency }: Work): Promise<JobWorkers> {
  let slots = concurrency;
  const shares = () =>
    sharesOf(
      slots,
      stores.map((store) => store.isOpen()),
    );
  const first = shares();
  const handlers = stores.map((_, index) => handlerIn(index, handle));
  const workers = await Promise.all(
    stores.map(({ jobQueue }, index) => jobQueue.work(queues, handlers[index]?.work ?? handle, first[index] ?? 1)),
  );
  /** Closes a worker. If its store is away, waits only for running jobs, since messages to the store are lost. */
  const close = async (worker: JobWorkers, index: number, graceMs: number) => {
    const closed = worker.close(graceMs);
    await (stores[index]?.isOpen() ? closed : Promise.race([closed, handlers[index]?.settled()]));
  };
  const resize = () => {
    const current = shares();
    for (const [index, worker] of workers.entries()) worker.resize(current[index] ?? 1);
  };
  const resizing = setInterval(resize, RESIZE_EVERY_MS).unref();
  return {
    resize: (wanted) => {
      slots = wanted;
      resize();
    },
    close: async (graceMs) => {
      clearInterval(resizing);
      await Promise.all(workers.map((worker, index) => close(worker, index, graceMs)));
    },
  };
}

/**
 * Reads the target of a hand-over, as `workStores` gave it to the handler: a store by its number, and a queue there.
 */
export function readHandOver(handsOver: string): { index: number; queue: string } {
  const end = handsOver.indexOf(' ');
  return { index: Number(handsOver.slice(0, end)), queue: handsOver.slice(end + 1) };
}

/**
 * Returns the slots of each store, at least 1. Open stores share all slots. A closed store has its share after its
 * return.
 */
function sharesOf(slots: number, open: boolean[]): number[] {
  const all = open.length;
  const taking = open.filter(Boolean).length || all;
  let rest = slots % taking;
  return open.map((isOpen) => {
    if (!isOpen) return Math.max(1, Math.floor(slots / all));
    rest -= 1;
    return Math.max(1, Math.floor(slots / taking) + (rest >= 0 ? 1 : 0));
  });
}

function handlerIn(index: number, handle: JobHandler): { work: JobHandler; settled(): Promise<unknown> } {
  const running = new Set<Promise<void>>();
  return {
    work: async (job) => {
      const { handsOver } = job;
      const inStore = () => {
        const queue = handsOver?.() ?? null;
        return queue === null ? null : `${index} ${queue}`;
      };
      const done = handle({ ...job, ...(handsOver && { handsOver: inStore }) });
      running.add(done);
      await done.finally(() => running.delete(done));
    },
    settled: () => Promise.allSettled(running),
  };
}
