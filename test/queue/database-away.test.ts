import { expect, test } from 'vitest';
import { migrateAll } from '#services/migrate/migrate-all.ts';
import { newFolder } from '#test/harness/new-folder.ts';
import { openPatientQueue } from '#test/harness/stores/open-patient-stores.ts';
import { openPostgres } from '#test/harness/stores/open-postgres.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { newWakeup } from './job-queue-exam.ts';

test('a worker with a running job during a database outage takes jobs after it', async () => {
  await using folder = await newFolder('queue');
  await using postgres = await openPostgres({ folder: folder.path, durable: true });
  await migrateAll(postgres.url);
  const metOutage = Promise.withResolvers<void>();
  const jobQueue = await openPatientQueue({ databaseUrl: postgres.url }, () => metOutage.resolve());
  const handled: string[] = [];
  const atHand = Promise.withResolvers<void>();
  const answering = await jobQueue.work(
    ['turns-openai'],
    async ({ data }) => {
      handled.push('turnId' in data ? data.turnId : '');
      if (handled.length === 1) await atHand.promise;
    },
    1,
  );

  await jobQueue.enqueue([newWakeup({ turnId: 'at-hand', step: 'b1' })]);
  await waitUntil(() => expect(handled).toEqual(['at-hand']));
  await postgres.crash();
  atHand.resolve();
  await metOutage.promise;
  await postgres.start();
  await waitUntil(() => jobQueue.enqueue([newWakeup({ turnId: 'next', step: 'b1' })]));

  await waitUntil(() => expect(handled).toContain('next'));
  await answering.close(1_000);
  await jobQueue.close();
});
