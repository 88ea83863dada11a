import { expect, test } from 'vitest';
import { openConnection } from '#core/postgres/connection.ts';
import { openPool } from '#core/postgres/pool.ts';
import { repeat } from '#test/harness/repeat.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';

const SESSION = { text: 'select pg_backend_pid() as pid' };
const SILENCE_MS = 400;

test('a statement never meets a connection that closes because it was silent', async () => {
  const url = await createTestDatabase();
  const pool = openPool((closed) => openConnection(url, closed, () => {}, SILENCE_MS), { shared: 1, own: 1 });
  await pool.run(SESSION);

  // The event loop is busy for longer than the silence, so it then runs three timers at once: a statement, the
  // silence, and another statement.
  const before = onceAfter(SILENCE_MS / 2, () => pool.run(SESSION));
  const after = onceAfter(SILENCE_MS * 1.5, () => pool.run(SESSION));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SILENCE_MS * 3);
  const answers = await Promise.all([before, after]);
  await pool.close();

  expect(answers).toMatchObject([[{ pid: expect.any(Number) }], [{ pid: expect.any(Number) }]]);
});

/** Returns the result of a call that is made after so many milliseconds, or later if the event loop is busy. */
function onceAfter<Result>(ms: number, call: () => Promise<Result>): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<Result>();
  const stop = repeat(() => {
    stop();
    resolve(call());
  }, ms);
  return promise;
}
