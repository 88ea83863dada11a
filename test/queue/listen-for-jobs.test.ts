import postgres from 'postgres';
import { expect, test } from 'vitest';
import { listenForJobs } from '#core/queue/listen-for-jobs.ts';
import { createTestDatabase } from '#test/world/test-database.ts';

test('a question that found nothing is asked again where a wakeup came meanwhile, although another took a job since', async () => {
  const url = await createTestDatabase();
  const sql = postgres(url, { max: 1 });
  const waiter = listenForJobs(url, () => {});
  const [place, witness] = [waiter.join('turns-a'), waiter.join('turns-a')];
  await witness.wait(60);
  for (const each of [place, witness]) each.asks()();

  const foundNothing = place.asks();
  const heard = witness.wait(60);
  await sql`select pg_notify('bullmq_jobs', 'turns-a')`;
  await heard;
  // This one finds a job, so it does not call back.
  place.asks();
  foundNothing();
  const woken = await place.wait(1);
  place.asks()();
  const atRest = await place.wait(0.001);
  await waiter.close();
  await sql.end();

  expect(woken).toEqual({ member: '0', score: 0 });
  expect(atRest).toBeNull();
});
