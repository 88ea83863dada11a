import { setImmediate as nextLoopIteration } from 'node:timers/promises';
import type { Job as BullJob } from 'bullmq';
import { Failure } from '../failure.ts';
import type { Backend, BullQueue, BullWorker } from './bullmq/backend.ts';
import { workQueues } from './bullmq/work-queues.ts';
import { type Job, type JobData, type JobName, jobOf } from './job.ts';
import type { JobHandler, JobQueue } from './job-queue.ts';
import { postgresBackend } from './postgres/backend.ts';
import { redisBackend } from './redis/backend.ts';

const ENQUEUE_TIMEOUT_MS = 1_000;

type Urls = { databaseUrl: string; redisUrl?: string | undefined };

/** Opens the queue on Redis where there is one, else on Postgres. `onError` gets the reason why a connection failed. */
export async function openJobQueue(
  { databaseUrl, redisUrl }: Urls,
  onError?: (error: unknown) => void,
): Promise<JobQueue> {
  return jobQueueOn(redisUrl ? await redisBackend(redisUrl, onError) : postgresBackend(databaseUrl, onError));
}

function jobQueueOn(backend: Backend): JobQueue {
  const queues = cacheQueues(backend.makeQueue);
  const ahead = backend.ackQueues && cacheQueues(backend.ackQueues.make);
  const silent = backend.ackQueues && cacheQueues(backend.ackQueues.makeSilent);
  const manualWorkers = cacheByName((name) => ignoreErrors(backend.makeWorker(name, null, 1)));

  return {
    enqueue: (wakeups) => withinTime(add((job) => queues.get(job.queue), wakeups.map(jobOf))),
    enqueueBeforeAck: async (wakeups, handsOver = null) => {
      const jobs = wakeups.map(jobOf);
      const own = jobs.find((job) => job.queue === handsOver && job.delayMs === 0);
      const arrived = withinTime(add((job) => ((job === own && silent) || ahead || queues).get(job.queue), jobs));
      // The caller gets a refusal a moment later, by `arrived`.
      const settled = arrived.catch(() => {});
      // By then it is on its way, on the connection that the acknowledgement will take.
      await (ahead ? nextLoopIteration() : settled);
      return { arrived };
    },
    work: (names, handle, concurrency) => workQueues(backend, names, { handle, concurrency }),
    workOnce: (names, handle) => takeOne(names.map(manualWorkers.get), handle),
    count: (names) => countAll(names.map(queues.get)),
    close: async () => {
      const parts = [...[queues, ahead, silent].flatMap((cache) => cache?.all() ?? []), ...manualWorkers.all()];
      await Promise.all(parts.map((part) => part.close().catch(() => {})));
      await backend.close();
    },
  };
}

/** One by one: BullMQ's bulk call on Postgres makes tables of its own each time, which costs more than the jobs. */
async function add(queueOf: (job: Job) => BullQueue, jobs: Job[]): Promise<void> {
  await Promise.all(jobs.map((job) => queueOf(job).add(job.name, job.data, optionsOf(job))));
}

function optionsOf({ id, rank, delayMs }: Job) {
  return { jobId: id, priority: rank, delay: delayMs, attempts: 1, removeOnComplete: true, removeOnFail: true };
}

function withinTime(adding: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Failure('queue_unavailable', LATE)), ENQUEUE_TIMEOUT_MS);
    adding.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

const LATE = 'The queue did not take the job in time; it will be enqueued again.';

async function takeOne(workers: BullWorker[], handle: JobHandler): Promise<boolean> {
  for (const worker of workers) {
    const job = (await worker.getNextJob('by-hand', { block: false })) as BullJob<JobData> | undefined;
    if (!job) continue;
    try {
      await handle({ name: job.name as JobName, data: job.data });
    } finally {
      await job.moveToCompleted(null, 'by-hand', false);
    }
    return true;
  }
  return false;
}

async function countAll(queues: BullQueue[]): Promise<Record<string, number>> {
  const total: Record<string, number> = {};
  for (const counts of await Promise.all(queues.map((queue) => queue.getJobCounts()))) {
    for (const [state, count] of Object.entries(counts)) total[state] = (total[state] ?? 0) + count;
  }
  return total;
}

function ignoreErrors(worker: BullWorker): BullWorker {
  worker.on('error', () => {});
  return worker;
}

/** BullMQ opens a queue once and for all: one that was away then is made anew by the next enqueue. */
function cacheQueues(make: (name: string) => BullQueue): NameCache<BullQueue> {
  const queues = cacheByName((name) => {
    const queue = make(name);
    queue.on('error', () => {});
    queue.waitUntilReady().catch(() => {
      queues.forget(name);
      queue.close().catch(() => {});
    });
    return queue;
  });
  return queues;
}

type NameCache<T> = { get: (name: string) => T; forget: (name: string) => void; all: () => T[] };

function cacheByName<T>(make: (name: string) => T): NameCache<T> {
  const made = new Map<string, T>();
  const get = (name: string) => made.get(name) ?? (made.set(name, make(name)).get(name) as T);
  return { get, forget: (name) => void made.delete(name), all: () => [...made.values()] };
}
