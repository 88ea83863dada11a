import { setImmediate as nextLoopIteration } from 'node:timers/promises';
import type { Job as BullJob } from 'bullmq';
import { Failure } from '../failure.ts';
import type { DatabaseUrls } from '../postgres/hosts.ts';
import { readRedisUrls } from '../redis-connection.ts';
import type { RedisAddress } from '../redis-url.ts';
import type { Backend, BullQueue, BullWorker } from './bullmq/backend.ts';
import { workQueues } from './bullmq/work-queues.ts';
import { type Job, type JobData, type JobName, jobOf } from './job.ts';
import { type JobHandler, type JobQueue, sumCounts } from './job-queue.ts';
import { postgresBackend } from './postgres/backend.ts';
import { redisBackend } from './redis/backend.ts';
import { type JobStore, spreadJobs } from './spread-jobs.ts';

const ENQUEUE_TIMEOUT_MS = 1_000;

/** A queue that never has jobs, so that counting them is cheap. */
const PROBE_QUEUE = 'probe';

/** The stores of the queue. `enqueueTimeoutMs` is the time to add jobs, longer if no person waits. */
type Options = DatabaseUrls & { redisUrl?: string | undefined; enqueueTimeoutMs?: number | undefined };

/** Opens the queue on one or several Redis, else on PostgreSQL. `onError` gets failures of a single store. */
export async function openJobQueue(
  { redisUrl, enqueueTimeoutMs = ENQUEUE_TIMEOUT_MS, ...database }: Options,
  onError: (error: unknown) => void = () => {},
): Promise<JobQueue> {
  if (!redisUrl) return jobQueueOn(postgresBackend(database, onError), { address: 'PostgreSQL', enqueueTimeoutMs });
  const all = readRedisUrls(redisUrl);
  const [first, ...others] = all;
  if (first && others.length === 0)
    return jobQueueOn(await redisBackend({ to: first.to, name: 'Redis at REDIS_URL' }, onError), {
      address: first.address,
      enqueueTimeoutMs,
    });
  const opened = await Promise.allSettled(all.map((one) => openStore(one, enqueueTimeoutMs)));
  const stores = opened.flatMap((store) => (store.status === 'fulfilled' ? [store.value] : []));
  const refused = opened.find((store) => store.status === 'rejected');
  if (!refused) return spreadJobs(stores);
  await Promise.all(stores.map(({ jobQueue }) => jobQueue.close()));
  throw refused.reason;
}

async function openStore({ address, to }: RedisAddress, enqueueTimeoutMs: number): Promise<JobStore> {
  let failure: unknown = null;
  const backend = await redisBackend({ to, name: `Redis at ${address} in REDIS_URL` }, (error) => {
    failure = error;
  });
  const jobQueue = jobQueueOn(backend, { address, enqueueTimeoutMs });
  return { address, jobQueue, isOpen: backend.isOpen, failure: () => failure };
}

type Named = { address: string; enqueueTimeoutMs: number };

function jobQueueOn(backend: Backend, { address, enqueueTimeoutMs }: Named): JobQueue {
  const withinTime = (adding: Promise<void>) => refuseLate(adding, enqueueTimeoutMs);
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
      // `arrived` gives the caller a refusal a moment later.
      const settled = arrived.catch(() => {});
      // The jobs are then on their way, on the connection that the acknowledgement will use.
      await (ahead ? nextLoopIteration() : settled);
      return { arrived };
    },
    work: (names, handle, concurrency) => workQueues(backend, names, { handle, concurrency }),
    workOnce: (names, handle) => takeOne(names.map(manualWorkers.get), handle),
    count: (names) => countAll(names.map(queues.get)),
    check: async () => {
      const [policy] = await Promise.all([backend.findEviction(), countAll([queues.get(PROBE_QUEUE)])]);
      return [policy === null ? { address, kind: 'well' } : { address, kind: 'evicts', policy }];
    },
    close: async () => {
      const parts = [...[queues, ahead, silent].flatMap((cache) => cache?.all() ?? []), ...manualWorkers.all()];
      await Promise.all(parts.map((part) => part.close().catch(() => {})));
      await backend.close();
    },
  };
}

/**
 * Adds jobs individually. BullMQ's bulk call on PostgreSQL creates tables each time, which costs more than the jobs.
 */
async function add(queueOf: (job: Job) => BullQueue, jobs: Job[]): Promise<void> {
  await Promise.all(jobs.map((job) => queueOf(job).add(job.name, job.data, optionsOf(job))));
}

function optionsOf({ id, rank, delayMs }: Job) {
  return { jobId: id, priority: rank, delay: delayMs, attempts: 1, removeOnComplete: true, removeOnFail: true };
}

function refuseLate(adding: Promise<void>, limitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = () => reject(new Failure('queue_unavailable', LATE));
    // After a stall, the process reads an answer that has arrived before it refuses.
    const timer = setTimeout(() => setImmediate(refuse), limitMs);
    adding.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

const LATE = 'The queue did not accept the job in time. The job will be enqueued again.';

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
  return sumCounts(await Promise.all(queues.map((queue) => queue.getJobCounts())));
}

function ignoreErrors(worker: BullWorker): BullWorker {
  worker.on('error', () => {});
  return worker;
}

/** Caches queues. BullMQ opens a queue only once, so the next enqueue creates a queue again that was away. */
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
