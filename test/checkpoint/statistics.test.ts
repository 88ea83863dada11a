import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { connect } from '#core/checkpoint/connect.ts';
import { countByStatus } from '#core/checkpoint/search/count-by-status.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { type Bounds, readStatistics } from '#core/checkpoint/turns/reading/statistics.ts';
import { insertPastTurns } from '#test/harness/past-turns.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';
import { countLooks } from './looks.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-11-01T12:00:00Z');
const OLD = 5_000;
const BUSY = 2_000;

let url: string;

beforeAll(async () => {
  url = await createTestDatabase();
  await use(async (db) => {
    await insertPastTurns(db, { from: START - 60 * 24 * MINUTE, count: OLD, everyMs: MINUTE / 5, status: 'completed' });
    await insertPastTurns(db, { from: START, count: 10, everyMs: 1_000, status: 'completed' });
    await insertPastTurns(db, { from: START + MINUTE, count: 4, everyMs: 1_000, status: 'failed' });
    await insertPastTurns(db, { from: START + 5 * MINUTE, count: BUSY, everyMs: 20, status: 'completed' });
    await insertPastTurns(db, { from: START + 7, count: 3, everyMs: 1_000, status: 'completed', project: 'other' });
    await sql`vacuum analyze turns`.execute(db);
  });
});

const quiet = { project: 'default', fromMs: START, toMs: START + 2 * MINUTE, buckets: 2 };
const busy = { project: 'default', fromMs: START + 5 * MINUTE, toMs: START + 6 * MINUTE, buckets: 2 };
const SMALL: Bounds = { turns: 200, entries: 4_000, failures: 2 };

test('turns are counted by status and creation time, with their durations and tokens', async () => {
  const { total, buckets, failures } = await use((db) => readStatistics(db, quiet));

  expect(buckets.map(({ turns }) => turns)).toMatchObject([
    { completed: 10, failed: 0 },
    { completed: 0, failed: 4 },
  ]);
  expect(total).toMatchObject({ precision: 'exact', inputTokens: 1_400, outputTokens: 140 });
  expect(total.turns).toMatchObject({ completed: 10, failed: 4, queued: 0 });
  expect(buckets[0]).toMatchObject({ queueWaitMs: { p50: 100, p95: 100 }, durationMs: { p50: 1_550, p95: 1_955 } });
  expect(failures).toEqual([
    {
      ...{ errorCode: 'provider_overloaded', turns: 4, precision: 'exact' },
      example: expect.objectContaining({ project: 'default', message: 'It is busy, 3.' }),
    },
  ]);
});

test('a project sees only its own turns, and a query without a project counts all', async () => {
  const alone = await use((db) => readStatistics(db, { ...quiet, project: 'other' }));
  const none = await use((db) => readStatistics(db, { ...quiet, project: 'unknown' }));
  const all = await use((db) => readStatistics(db, { ...quiet, project: null }));

  expect(alone.total.turns.completed).toBe(3);
  expect(alone.failures).toEqual([]);
  expect(none.total.turns.completed).toBe(0);
  expect(all.total.turns).toMatchObject({ completed: 13, failed: 4 });
  expect(all.failures.map(({ turns }) => turns)).toEqual([4]);
});

test('a bucket with too many turns scales a sample to the count, and reports that', async () => {
  const { total, buckets } = await use((db) => readStatistics(db, busy, SMALL));

  expect(total.precision).toBe('sampled');
  expect(buckets.map(({ turns }) => turns.completed)).toEqual([1_500, 500]);
  expect(buckets[0]).toMatchObject({ precision: 'sampled', inputTokens: 150_000, outputTokens: 15_000 });
});

test('figures beyond the counted turns are reported as at least that many', async () => {
  const { buckets, failures } = await use((db) =>
    Promise.all([readStatistics(db, busy, { ...SMALL, entries: 1_200 }), readStatistics(db, quiet, SMALL)]).then(
      ([{ buckets }, { failures }]) => ({ buckets, failures }),
    ),
  );

  expect(buckets.map(({ precision, turns }) => [precision, turns.completed])).toEqual([
    ['at_least', 600],
    ['sampled', 500],
  ]);
  expect(failures).toMatchObject([{ turns: 3, precision: 'at_least' }]);
});

test.each([
  ['the turns of a range', quiet, undefined, 200],
  ['the turns of a range of all projects', { ...quiet, project: null }, undefined, 200],
  ['a sample of a busy range', busy, { ...SMALL, entries: 400 }, 1_800],
])('rows outside the bounds of a query are not scanned: %s', async (_, range, bounds, most) => {
  const before = await countLooks(url);
  await use((db) => readStatistics(db, range, bounds));

  expect((await countLooks(url)) - before).toBeLessThan(most);
});

test('turns are counted by status no further than requested', async () => {
  const before = await countLooks(url);
  const { counts, atLeast } = await use((db) => countByStatus(db, 'default', { most: 100 }));

  expect([counts.completed, counts.failed, counts.queued, atLeast]).toEqual([100, 4, 0, ['completed']]);
  expect((await countLooks(url)) - before).toBeLessThan(300);
});

async function use<T>(ask: (db: Db) => Promise<T>): Promise<T> {
  const { db, close } = connect(url);
  return await ask(db).finally(close);
}
