import fc from 'fast-check';
import { sql } from 'kysely';
import postgres from 'postgres';
import { beforeAll, expect, test } from 'vitest';
import { connect } from '#core/checkpoint/connect.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { rollUpQuarters, rollUpUsage } from '#core/checkpoint/usage/roll-up-usage.ts';
import { sumTokensOfDay } from '#core/checkpoint/usage/sum-tokens-of-day.ts';
import { sumUsage, USAGE_GROUPS } from '#core/checkpoint/usage/sum-usage.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

let url: string;

beforeAll(async () => {
  url = await createTestDatabase();
});

const recorded = fc.record({
  minutesAgo: fc.integer({ min: 0, max: 60 * 24 * 40 }),
  project: fc.constantFrom('web', 'app'),
  model: fc.constantFrom('openai/a', 'sim/b'),
  key_id: fc.constantFrom(null, 'key_1', 'key_2'),
  agent: fc.constantFrom(null, null, 'support@1', 'support@2', 'sales@1'),
  turns: fc.integer({ min: 0, max: 1 }),
  input_tokens: fc.integer({ min: 0, max: 2 ** 31 }),
  cost_usd: fc.double({ min: 0, max: 10, noNaN: true }),
  unpriced: fc.constantFrom(0, 0, 0, 1),
});
type Recorded = typeof recorded extends fc.Arbitrary<infer Value> ? Value : never;

/** Actions in sequence or at the same time: records arrive, some late, and workers roll up. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('record' as const), records: fc.array(recorded, { maxLength: 12 }) }),
  fc.record({
    kind: fc.constant('roll up' as const),
    workers: fc.integer({ min: 1, max: 3 }),
    limit: fc.integer({ min: 1, max: 9 }),
  }),
);

test('each usage record counts once, in any order of records and roll-ups', async () => {
  const { db, close } = connect(url);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      await sql`truncate usage_records, usage_sums, agent_usage_sums`.execute(db);
      const all: Recorded[] = [];
      for (const one of steps) {
        if (one.kind === 'record') await record(db, one.records, all);
        else await Promise.all(Array.from({ length: one.workers }, () => rollUp(db, one.limit)));
        expect(await sumAll(db)).toEqual(expected(all));
      }
    }),
    { numRuns: 60 },
  );
  await close();
}, 120_000);

async function rollUp(db: Db, limit: number): Promise<void> {
  await Promise.all([rollUpUsage(db, limit), rollUpQuarters(db)]);
}

test('a worker that is killed during a roll-up changes no row', async () => {
  const { db, close } = connect(url);
  await sql`truncate usage_records, usage_sums, agent_usage_sums`.execute(db);
  const recordOld = async () => {
    await record(db, [plain], []);
    await sql`update usage_records set at = '2026-01-01'`.execute(db);
  };
  await recordOld();
  await rollUpUsage(db);
  await recordOld();
  const dying = connect(url, { shared: 1, own: 1 });
  const other = postgres(url, { max: 2, onnotice: () => {} });

  // The worker has taken the record when it waits for the locked sum.
  const locked = await other.reserve();
  await locked`begin`;
  await locked`select * from usage_sums for update`;
  const broken = rollUpUsage(dying.db).catch((error: unknown) => error);
  const isKilled = async () =>
    expect(
      await other`select pg_terminate_backend(pid) from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database()`,
    ).toHaveLength(1);
  await waitUntil(isKilled);
  const error = await broken;
  const left = await count(db);
  await locked`rollback`;
  locked.release();
  await rollUpUsage(db);

  expect(error).toBeInstanceOf(Error);
  expect(left).toEqual({ records: 1, sums: 1 });
  expect(await count(db)).toEqual({ records: 0, sums: 1 });
  expect(await sumAll(db)).toMatchObject([{ turns: 2, inputTokens: 2 }]);
  await Promise.all([dying.close(), other.end(), close()]);
});

test('recent records stay, and older equal records become a single sum', async () => {
  const { db, close } = connect(url);
  await sql`truncate usage_records, usage_sums, agent_usage_sums`.execute(db);
  const old = { ...plain, minutesAgo: 600 };
  await record(db, [plain, old, old, { ...old, key_id: null }, { ...old, model: 'sim/b' }], []);
  await sql`update usage_records set at = date_bin('15 minutes', at, 'epoch') + interval '7 minutes'
    where at < now() - interval '5 minutes'`.execute(db);

  await rollUpUsage(db);

  expect(await count(db)).toEqual({ records: 1, sums: 3 });
  await close();
});

test('usage after a month is one sum for each day, project, model and key', async () => {
  const { db, close } = connect(url);
  await sql`truncate usage_records, usage_sums, agent_usage_sums`.execute(db);
  const hours = Array.from({ length: 24 * 50 }, (_, hour) => ({ ...plain, minutesAgo: hour * 60 + 10 }));
  const all: Recorded[] = [];
  await record(db, hours, all);
  await rollUpUsage(db);

  while (await rollUpQuarters(db));

  const { rows } = await sql<{ old: number; days: number; recent: number; quarters: number }>`
    select count(*) filter (where at < limit_at)::int as old,
      count(distinct date_bin('1 day', at, 'epoch')) filter (where at < limit_at)::int as days,
      count(*) filter (where at >= limit_at)::int as recent,
      count(distinct date_bin('15 minutes', at, 'epoch')) filter (where at >= limit_at)::int as quarters
    from usage_sums, (select date_bin('1 day', now() - interval '35 days', 'epoch') as limit_at) as bound`.execute(db);
  expect(rows[0]?.old).toBe(rows[0]?.days);
  expect(rows[0]?.recent).toBe(rows[0]?.quarters);
  expect(rows[0]?.old).toBeGreaterThan(13);
  expect(await sumAll(db)).toEqual(expected(all));
  await close();
});

test('the tokens of the day stay right for a process that last read before a roll-up', async () => {
  const { db, close } = connect(url);
  await sql`truncate usage_records, usage_sums, agent_usage_sums`.execute(db);
  const known = await sumTokensOfDay(db, 'web', null);
  const { rows } = await sql<{ until: string; at: string }>`
    select (midnight + interval '7 minutes')::text as until, (midnight + interval '8 minutes')::text as at
    from (select date_trunc('day', now(), 'UTC') as midnight) as clock`.execute(db);
  await record(db, [{ ...plain, input_tokens: 70 }], []);
  await sql`update usage_records set at = ${rows[0]?.at}::timestamptz`.execute(db);
  await sql`update usage_records set at = least(at, now() - interval '6 minutes')`.execute(db);
  await rollUpUsage(db);

  const since = await sumTokensOfDay(db, 'web', { ...known, settledTokens: 0, settledUntil: rows[0]?.until ?? '' });

  expect(since.tokens).toBe((await sumTokensOfDay(db, 'web', null)).tokens);
  await close();
});

test('the tokens of the day count from midnight, and known sums are not read again', async () => {
  const { db, close } = connect(url);
  await sql`truncate usage_records, usage_sums, agent_usage_sums`.execute(db);
  await record(db, [{ ...plain, input_tokens: 70 }], []);
  await sql`update usage_records set at = date_trunc('day', now(), 'UTC')`.execute(db);
  await record(
    db,
    [
      { ...plain, input_tokens: 5 },
      { ...plain, project: 'app' },
      { ...plain, minutesAgo: 60 * 24 * 2 },
    ],
    [],
  );

  const first = await sumTokensOfDay(db, 'web', null);
  await sql`delete from usage_records where input_tokens = 70`.execute(db);
  const second = await sumTokensOfDay(db, 'web', first);
  const anew = await sumTokensOfDay(db, 'web', { ...first, day: '2020-01-01' });

  expect(first).toMatchObject({ tokens: 75, settledTokens: 70 });
  expect(first.secondsLeft).toBeGreaterThan(0);
  expect(first.secondsLeft).toBeLessThanOrEqual(86_400);
  expect(second).toMatchObject({ day: first.day, tokens: 75, settledTokens: 70 });
  expect(anew).toMatchObject({ tokens: 5, settledTokens: 0 });
  await close();
});

const plain: Recorded = {
  ...{ minutesAgo: 0, project: 'web', model: 'openai/a', key_id: 'key_1', agent: null },
  ...{ turns: 1, input_tokens: 1, cost_usd: 0, unpriced: 0 },
};

async function record(db: Db, records: Recorded[], all: Recorded[]): Promise<void> {
  all.push(...records);
  await sql`insert into usage_records (at, project, model, key_id, agent, turns, input_tokens, total_tokens, cost_usd, unpriced)
    select now() - make_interval(mins => "minutesAgo"), project, model, key_id, agent, turns, input_tokens, input_tokens, cost_usd, unpriced
    from json_to_recordset(${JSON.stringify(records)}::text::json) as record ("minutesAgo" int, project text, model text,
      key_id text, agent text, turns int, input_tokens bigint, cost_usd numeric, unpriced int)`.execute(db);
}

async function sumAll(db: Db) {
  const times = { from: '2000-01-01', to: null };
  const rows = await sumUsage(db, { project: null, ...times, groups: USAGE_GROUPS.filter((group) => group !== 'day') });
  return rows.map(({ project, model, key, agent, agent_version, turns, inputTokens, costUsd }) => ({
    group: groupOf([project, model, key, agent, agent_version]),
    turns,
    inputTokens,
    cost: costUsd === null ? null : expect.closeTo(costUsd, 6),
  }));
}

/** Returns the usage of each group that has any. Null is last in each place, as PostgreSQL sorts it. */
function expected(all: Recorded[]) {
  const groups = Map.groupBy(all, ({ project, model, key_id, agent }) =>
    groupOf([project, model, key_id, agent?.split('@')[0], agent]),
  );
  const sumOf = (records: Recorded[], figure: 'turns' | 'input_tokens' | 'cost_usd' | 'unpriced') =>
    records.reduce((sum, one) => sum + one[figure], 0);
  return [...groups]
    .filter(([, records]) =>
      (['turns', 'input_tokens', 'cost_usd', 'unpriced'] as const).some((one) => sumOf(records, one)),
    )
    .map(([group, records]) => ({
      group,
      turns: sumOf(records, 'turns'),
      inputTokens: sumOf(records, 'input_tokens'),
      cost: records.some(({ unpriced }) => unpriced > 0) ? null : sumOf(records, 'cost_usd'),
    }))
    .sort((one, other) => (one.group < other.group ? -1 : 1));
}

function groupOf(values: (string | null | undefined)[]): string {
  return values.map((value) => value ?? '~').join(' ');
}

async function count(db: Db) {
  const { rows } = await sql`select (select count(*)::int from usage_records) as records,
    (select count(*)::int from usage_sums) as sums`.execute(db);
  return rows[0];
}
