import postgres from 'postgres';
import { expect } from 'vitest';
import { test } from '#test/harness/test.ts';

test('the 503 and /readyz name a table that a session has locked until the lock ends', async ({ harness }) => {
  const sql = postgres(harness.env.DATABASE_URL, { max: 1, connection: { application_name: 'a long report' } });
  const locking = await sql.reserve();
  await locking`begin`;
  await locking`lock table turns in access exclusive mode`;
  const [{ pid } = { pid: 0 }] = await locking<{ pid: number }[]>`select pg_backend_pid() as pid`;

  const before = await harness.call('GET', '/readyz');
  const refused = await harness.call('GET', '/v1/turns');
  const during = await harness.call('GET', '/readyz');
  await locking`commit`;
  locking.release();
  const after = await harness.call('GET', '/readyz');
  await sql.end();

  expect([before, refused, during, after].map(({ status }) => status)).toEqual([200, 503, 503, 200]);
  expect(refused.body).toMatchObject({
    error: {
      message: 'The table turns is locked by another session of PostgreSQL. Try again when the lock is released.',
    },
  });
  expect((during.body as { error: { message: string } }).error.message).toMatch(
    new RegExp(
      `^Session ${pid} \\(a long report\\) of PostgreSQL at DATABASE_URL has locked the table turns for \\d+ s\\. ` +
        `Wait for it, or end it with select pg_terminate_backend\\(${pid}\\)\\.$`,
    ),
  );
});
