import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { connect } from '#core/checkpoint/connect.ts';
import { isPassing } from '#core/checkpoint/persist.ts';
import { findFreePort } from '#services/standalone/embedded-postgres/find-free-port.ts';
import { startPostgres } from '#services/standalone/embedded-postgres/start-postgres.ts';

test('a database that was away is found again, however many queries failed meanwhile', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'pawl-connect-'));
  const port = await findFreePort();
  const first = await startPostgres({ dataDir, port, durable: false });
  const connection = connect(first.url, { poolSize: 3 });
  const ask = () => sql`select 1`.execute(connection.db);
  await ask();

  await first.stop();
  const failures = await Promise.allSettled(Array.from({ length: 20 }, ask));
  const again = await Promise.allSettled(Array.from({ length: 20 }, ask));
  const second = await startPostgres({ dataDir, port, durable: false });
  const answers = await Promise.all(Array.from({ length: 20 }, ask));

  const reasons = [...failures, ...again].map((failure) => failure.status === 'rejected' && isPassing(failure.reason));
  expect(reasons.every(Boolean)).toBe(true);
  expect(answers).toHaveLength(20);
  await connection.close();
  await second.stop();
  await rm(dataDir, { recursive: true, force: true });
});
