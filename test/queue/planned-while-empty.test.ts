import postgres from 'postgres';
import { expect, test } from 'vitest';
import { openPatientQueue } from '#test/harness/stores/open-patient-stores.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { newWakeup } from './job-queue-exam.ts';

const QUEUE = 'turns-openai';

// A session keeps its plans, and Postgres plans a full scan for a table without rows.
test('a queue that was empty during a vacuum finds a job among many by an index', async () => {
  const databaseUrl = await createTestDatabase();
  await using database = openDatabase(databaseUrl);
  const jobQueue = await openPatientQueue({ databaseUrl });
  await database.cleanUp();

  for (const count of [10, 500]) {
    await jobQueue.enqueue(Array.from({ length: count }, () => newWakeup()));
    for (let worked = 0; worked < count; worked += 1) await jobQueue.workOnce([QUEUE], async () => {});
  }
  await jobQueue.close();

  expect(await database.rowsReadAsTable()).toBe(0);
});

function openDatabase(url: string) {
  const sql = postgres(url, { max: 1 });
  return {
    cleanUp: () => sql`vacuum analyze bullmq.job`,
    /** Runs queries on a connection and closes it. Postgres counts the reads of a connection when it closes. */
    rowsReadAsTable: async () => {
      await waitUntil(async () => {
        const open = await sql`select from pg_stat_activity
          where datname = current_database() and application_name like 'pawl-queue%'`;
        return open.length === 0;
      }, 'the sessions of the queue are over');
      const [row] =
        await sql`select seq_tup_read::int as rows from pg_stat_user_tables where relid = 'bullmq.job'::regclass`;
      return row?.rows;
    },
    [Symbol.asyncDispose]: () => sql.end(),
  };
}
