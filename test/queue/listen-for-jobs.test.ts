import postgres from 'postgres';
import { expect, test } from 'vitest';
import { listenForJobs } from '#core/queue/postgres/listen-for-jobs.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';

test('an empty fetch is repeated if a wakeup arrived during it, even after another job', async () => {
  const url = await createTestDatabase();
  const sql = postgres(url, { max: 1 });
  const waiter = listenForJobs(url, () => {});
  const [worker, recorder] = [waiter.join('turns-a'), waiter.join('turns-a')];
  await recorder.wait(60);
  for (const each of [worker, recorder]) each.startFetch()();

  const foundNothing = worker.startFetch();
  const notified = recorder.wait(60);
  await sql`select pg_notify('bullmq_jobs', 'turns-a')`;
  await notified;
  // This fetch finds a job, so it does not call back.
  worker.startFetch();
  foundNothing();
  const woken = await worker.wait(1);
  worker.startFetch()();
  const atRest = await worker.wait(0.001);
  await waiter.close();
  await sql.end();

  expect(woken).toEqual({ member: '0', score: 0 });
  expect(atRest).toBeNull();
});
