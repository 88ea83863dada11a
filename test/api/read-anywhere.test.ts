import pino from 'pino';
import { expect } from 'vitest';
import { findFreePort } from '#embedded-postgres/find-free-port.ts';
import { openAnyReader } from '#services/api/read-anywhere.ts';
import { test } from '#test/harness/test.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

test('a read without DATABASE_READ_URL runs directly on the primary', async ({ harness }) => {
  const { db, log, parts } = harness;
  const { readAnywhere } = openAnyReader({ DATABASE_READ_URL: undefined }, { db, log, metrics: parts.metrics });

  const given = await readAnywhere(async (each) => each);
  await harness.call('GET', '/v1/turns');

  expect(given).toBe(db);
  expect(await parts.metrics.registry.metrics()).not.toContain('pawl_reads_total{');
});

test('the log names each unused replica and its fault, without the password', async ({ harness }) => {
  const { db, parts } = harness;
  const logged: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line) => void logged.push(JSON.parse(line)) });
  const [one, other] = [`127.0.0.1:${await findFreePort()}`, `localhost:${await findFreePort()}`];
  const settings = { DATABASE_READ_URL: `postgres://me:of-mine@${one},${other}/pawl` };
  const reader = openAnyReader(settings, { db, log, metrics: parts.metrics });

  await waitUntil(() => expect(logged).toHaveLength(2));
  const given = await reader.readAnywhere(async (each) => each);
  await reader.close();

  expect(given).toBe(db);
  const events = logged.map(({ event, level, replica }) => [event, level, replica]);
  expect(events.sort()).toEqual([
    ['replica.left_out', 40, one],
    ['replica.left_out', 40, other],
  ]);
  expect(logged[0]?.msg).toMatch(/^the replica \S+ fails \(ECONNREFUSED\), so another database serves its reads$/);
  expect(JSON.stringify(logged)).not.toContain('of-mine');
});
