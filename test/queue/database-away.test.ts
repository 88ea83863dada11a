import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { openJobQueue } from '#core/queue/open-job-queue.ts';
import type { TurnWakeup } from '#core/turn/wakeup.ts';
import { migrateAll } from '#services/migrate/migrate-all.ts';
import { newFolder } from '#test/harness/new-folder.ts';
import { openPostgres } from '#test/harness/stores/open-postgres.ts';

function wakeupOf(turnId: string): TurnWakeup {
  return { kind: 'turn', turnId, step: 'b1', generation: 0, provider: 'openai', priority: 0 };
}

test('a worker that had a job at hand while the database was away takes jobs again once it is back', {
  timeout: 120_000,
}, async () => {
  await using folder = await newFolder('queue');
  await using postgres = await openPostgres({ folder: folder.path, durable: true });
  await migrateAll(postgres.url);
  const jobQueue = await openJobQueue({ databaseUrl: postgres.url });
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

  await jobQueue.enqueue([wakeupOf('at-hand')]);
  await vi.waitFor(() => expect(handled).toEqual(['at-hand']), { timeout: 30_000 });
  await postgres.crash();
  atHand.resolve();
  // Long enough for the worker to acknowledge its job, and to find no database.
  await sleep(1_500);
  await postgres.start();
  await vi.waitFor(() => jobQueue.enqueue([wakeupOf('next')]), { timeout: 30_000, interval: 200 });

  await vi.waitFor(() => expect(handled).toContain('next'), { timeout: 20_000 });
  await answering.close(1_000);
  await jobQueue.close();
});
