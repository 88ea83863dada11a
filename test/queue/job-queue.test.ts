import { describe, expect, test } from 'vitest';
import type { JobQueue } from '#core/queue/job-queue.ts';
import { openJobQueue } from '#core/queue/open-job-queue.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { openPatientQueue } from '#test/harness/stores/open-patient-stores.ts';
import { createTestDatabase, testRedisUrl } from '#test/harness/stores/test-database.ts';
import { examineJobQueue, newWakeup } from './job-queue-exam.ts';

describeQueue(({ redis }) => examineJobQueue(() => openTestQueue({ redis })));

describe('BullMQ on Postgres, behind a pooler', () =>
  examineJobQueue(() => openTestQueue({ redis: false, pooled: true })));

test('an unreachable queue refuses wakeups and does not keep them', async () => {
  const jobQueue = await openJobQueue({ databaseUrl: '', redisUrl: 'redis://127.0.0.1:1' });

  await expect(jobQueue.enqueue([newWakeup()])).rejects.toThrow();
  await jobQueue.close();
});

type Where = { redis: boolean; pooled?: boolean };

async function openTestQueue({ redis, pooled = false }: Where): Promise<JobQueue & AsyncDisposable> {
  const directUrl = await createTestDatabase();
  const databaseUrl = pooled ? `${directUrl}?pgbouncer=true` : directUrl;
  return openPatientQueue({ databaseUrl, directUrl, redisUrl: redis ? testRedisUrl() : undefined });
}
