import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises';
import type { Job as BullJob } from 'bullmq';
import { Failure } from '../failure.ts';
import { answerQueues } from './answer-queues.ts';
import type { Backend, BullQueue, BullWorker } from './backend.ts';
import type { Bell, JobHandler } from './bell.ts';
import { type Job, type JobData, type JobName, jobOf } from './job.ts';
import { postgresBackend } from './postgres-backend.ts';
import { redisBackend } from './redis-backend.ts';

const RING_TIMEOUT_MS = 1_000;

type Urls = { databaseUrl: string; redisUrl?: string | undefined };

/** Opens the bell on Redis where there is one, else on Postgres. `onError` hears why a connection to it failed. */
export async function openBell({ databaseUrl, redisUrl }: Urls, onError?: (error: unknown) => void): Promise<Bell> {
  return hang(redisUrl ? await redisBackend(redisUrl, onError) : postgresBackend(databaseUrl, onError));
}

function hang(backend: Backend): Bell {
  const queues = rememberingQueues(backend.makeQueue);
  const queuesAhead = backend.makeQueueAhead && rememberingQueues(backend.makeQueueAhead);
  const hands = remembering((name) => quietWorker(backend.makeWorker(name, null, 1)));

  return {
    ring: (rings) => withinTime(add(queues.get, rings.map(jobOf))),
    ringAhead: async (rings) => {
      const { get } = queuesAhead ?? queues;
      const arrived = withinTime(add(get, rings.map(jobOf)));
      // Whoever rings hears of a refusal a moment later.
      const settled = arrived.catch(() => {});
      // By then it is on its way, on the connection that the acknowledgement will take.
      await (queuesAhead ? nextTurnOfTheLoop() : settled);
      return { arrived };
    },
    answer: (names, handle, concurrency) => answerQueues(backend, names, { handle, concurrency }),
    answerOnce: (names, handle) => takeOne(names.map(hands.get), handle),
    count: (names) => countAll(names.map(queues.get)),
    close: async () => {
      const parts = [...queues.all(), ...(queuesAhead?.all() ?? []), ...hands.all()];
      await Promise.all(parts.map((part) => part.close().catch(() => {})));
      await backend.close();
    },
  };
}

/** One by one: BullMQ's bulk call on Postgres makes tables of its own each time, which costs more than the jobs. */
async function add(queueOf: (name: string) => BullQueue, jobs: Job[]): Promise<void> {
  await Promise.all(jobs.map((job) => queueOf(job.queue).add(job.name, job.data, optionsOf(job))));
}

function optionsOf({ id, rank, delayMs }: Job) {
  return { jobId: id, priority: rank, delay: delayMs, attempts: 1, removeOnComplete: true, removeOnFail: true };
}

function withinTime(adding: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Failure('queue_unavailable', LATE)), RING_TIMEOUT_MS);
    adding.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

const LATE = 'The queue did not take the job in time; it will be rung again.';

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

function quietWorker(worker: BullWorker): BullWorker {
  worker.on('error', () => {});
  return worker;
}

/** BullMQ opens a queue once and for all: one that was away then is made anew by the next ring. */
function rememberingQueues(make: (name: string) => BullQueue): Remembered<BullQueue> {
  const queues = remembering((name) => {
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

type Remembered<T> = { get: (name: string) => T; forget: (name: string) => void; all: () => T[] };

function remembering<T>(make: (name: string) => T): Remembered<T> {
  const made = new Map<string, T>();
  const get = (name: string) => made.get(name) ?? (made.set(name, make(name)).get(name) as T);
  return { get, forget: (name) => void made.delete(name), all: () => [...made.values()] };
}
