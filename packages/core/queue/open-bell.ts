import { setTimeout as sleep } from 'node:timers/promises';
import type { Job as BullJob } from 'bullmq';
import { Failure } from '../failure.ts';
import { answerQueues } from './answer-queues.ts';
import type { Backend, BullQueue, BullWorker } from './backend.ts';
import type { Bell, JobHandler } from './bell.ts';
import { type Job, type JobData, type JobName, jobOf } from './job.ts';
import { postgresBackend } from './postgres-backend.ts';
import { redisBackend } from './redis-backend.ts';

const RING_TIMEOUT_MS = 1_000;

/** Opens the bell on Redis where there is one, else on Postgres. */
export async function openBell(urls: { databaseUrl: string; redisUrl?: string | undefined }): Promise<Bell> {
  return hang(urls.redisUrl ? await redisBackend(urls.redisUrl) : postgresBackend(urls.databaseUrl));
}

function hang(backend: Backend): Bell {
  const queues = remembering((name) => {
    const queue = backend.makeQueue(name);
    queue.on('error', () => {});
    return queue;
  });
  const hands = remembering((name) => quietWorker(backend.makeWorker(name, null, 1)));

  return {
    ring: (rings) => withinTime(add(queues.get, rings.map(jobOf))),
    answer: (names, handle, concurrency) => answerQueues(backend, names, { handle, concurrency }),
    answerOnce: (names, handle) => takeOne(names.map(hands.get), handle),
    count: (names) => countAll(names.map(queues.get)),
    close: async () => {
      await Promise.all([...queues.all(), ...hands.all()].map((part) => part.close().catch(() => {})));
      await backend.close();
    },
  };
}

async function add(queueOf: (name: string) => BullQueue, jobs: Job[]): Promise<void> {
  const byQueue = Map.groupBy(jobs, (job) => job.queue);
  await Promise.all([...byQueue].map(([name, group]) => queueOf(name).addBulk(group.map(toBull))));
}

function toBull({ name, data, id, rank, delayMs }: Job) {
  const opts = { jobId: id, priority: rank, delay: delayMs, attempts: 1, removeOnComplete: true, removeOnFail: true };
  return { name, data, opts };
}

async function withinTime(adding: Promise<void>): Promise<void> {
  const timer = new AbortController();
  const late = sleep(RING_TIMEOUT_MS, undefined, { signal: timer.signal }).then(
    () =>
      Promise.reject(
        new Failure('queue_unavailable', 'The queue did not take the job in time; it will be rung again.'),
      ),
    () => {},
  );
  await Promise.race([adding, late]).finally(() => timer.abort());
}

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

function remembering<T>(make: (name: string) => T): { get: (name: string) => T; all: () => T[] } {
  const made = new Map<string, T>();
  const get = (name: string) => made.get(name) ?? (made.set(name, make(name)).get(name) as T);
  return { get, all: () => [...made.values()] };
}
