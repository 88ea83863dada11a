import postgres from 'postgres';
import { expect, test } from 'vitest';
import { newId } from '#core/id.ts';
import { openBell } from '#core/queue/open-bell.ts';
import { migrateQueue } from '#core/queue/postgres-backend.ts';
import { createTestDatabase } from '#test/world/test-database.ts';

test('a job on Postgres leaves no events behind, however often the queue is migrated', async () => {
  const databaseUrl = await createTestDatabase();
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  await sql`drop schema bullmq cascade`;
  await Promise.all([migrateQueue(databaseUrl), migrateQueue(databaseUrl)]);
  await migrateQueue(databaseUrl);
  const bell = await openBell({ databaseUrl });

  await bell.ring([
    { kind: 'turn', turnId: newId('turn'), step: 'r1', number: 0, provider: 'openai', priority: 0 },
    { kind: 'turn', turnId: newId('turn'), step: 'r1', number: 0, provider: 'openai', priority: 0, delayMs: 60_000 },
  ]);
  const hasAnswered = await bell.answerOnce(['turns-openai'], async () => {});

  expect(hasAnswered).toBe(true);
  expect(await sql`select * from bullmq.event`).toEqual([]);
  await bell.close();
  await sql.end();
});
