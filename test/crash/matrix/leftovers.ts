import type { Job, Queue } from 'bullmq';
import { allQueues } from '#core/queue/all-queues.ts';
import type { JobData, JobName } from '#core/queue/job.ts';
import { postgresBackend } from '#core/queue/postgres-backend.ts';
import { redisBackend } from '#core/queue/redis-backend.ts';
import type { World } from '#test/world/create-world.ts';

/** The jobs that a dead process leaves in the queue, seen past Pawl. */
export async function openLeftovers({ parts, handle, settings }: World) {
  const { DATABASE_URL, REDIS_URL } = settings;
  const backend = REDIS_URL ? await redisBackend(REDIS_URL) : postgresBackend(DATABASE_URL);
  const names = allQueues(parts.providers.names);
  const queues = names.map((name) => backend.makeQueue(name) as Queue<JobData>);
  for (const queue of queues) queue.on('error', () => {});

  const isEmpty = async () => Object.values(await parts.bell.count(names)).every((count) => count === 0);

  return {
    /** Whether no job waits, is worked or comes later. */
    isEmpty,
    /** Lets what is left come at last, as it does once the locks of the dead lapse. Answers the states it was left in. */
    comeLate: async (): Promise<string[]> => {
      if (await isEmpty()) return [];
      const left = (await Promise.all(queues.map(jobsOf))).flat();
      const states = await Promise.all(left.map((job) => job.getState()));
      await Promise.all(queues.map((queue) => queue.obliterate({ force: true })));
      for (const { name, data } of left) await handle({ name: name as JobName, data });
      return states;
    },
    close: async () => {
      await Promise.all(queues.map((queue) => queue.close()));
      await backend.close();
    },
  };
}

function jobsOf(queue: Queue<JobData>): Promise<Job<JobData>[]> {
  return queue.getJobs(['active', 'waiting', 'prioritized', 'delayed', 'completed', 'failed']);
}
