import postgres from 'postgres';
import { expect, test } from 'vitest';
import { migrateQueue } from '#core/queue/postgres/migrate-queue.ts';
import { openPatientQueue } from '#test/harness/stores/open-patient-stores.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';
import { newWakeup } from './job-queue-exam.ts';

test('a job on Postgres leaves no BullMQ events, even after repeated migrations', async () => {
  const databaseUrl = await createTestDatabase();
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  await sql`drop schema bullmq cascade`;
  await Promise.all([migrateQueue(databaseUrl), migrateQueue(databaseUrl)]);
  await migrateQueue(databaseUrl);
  const jobQueue = await openPatientQueue({ databaseUrl });

  await jobQueue.enqueue([newWakeup(), newWakeup({ delayMs: 60_000 })]);
  const hasAnswered = await jobQueue.workOnce(['turns-openai'], async () => {});

  expect(hasAnswered).toBe(true);
  expect(await sql`select * from bullmq.event`).toEqual([]);
  await jobQueue.close();
  await sql.end();
});
