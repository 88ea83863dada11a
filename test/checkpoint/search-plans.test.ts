import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { listConversations } from '#core/checkpoint/conversations.ts';
import { countByStatus } from '#core/checkpoint/search/count-by-status.ts';
import { enterBatch } from '#core/checkpoint/search/enter-turns.ts';
import { countMatchingTurns, findTurnIds } from '#core/checkpoint/search/find-turns.ts';
import type { TurnFilter } from '#core/checkpoint/search/turn-filter.ts';
import type { Db, Trx } from '#core/checkpoint/tables.ts';
import { listTurns, type TurnPage } from '#core/checkpoint/turns/reading/list.ts';
import { firstIdAt } from '#core/id.ts';
import { isoAgo, msAgo } from '#test/harness/moments.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';
import { looksOf, withDatabase } from './looks.ts';

/** The turns of the last hundred days, every seven minutes. Every fourth turn of another project is queued. */
const TURNS = 20_000;
/** The number of rows and index entries that a page may read: a bounded range of time, in a database of any size. */
const FEW = 7_000;

let url: string;

beforeAll(async () => {
  url = await createTestDatabase();
  await withDatabase(url, async (db) => {
    await db.transaction().execute(fill);
    while (await enterBatch(db));
    await sql`vacuum analyze`.execute(db);
  });
});

const daysAgo = (days: number) => isoAgo(days * 86_400_000);

test.each<[string, TurnFilter, number]>([
  ['a word of all turns', { q: 'common' }, 20],
  ['a word of few turns', { q: 'seldom' }, 20],
  ['a word of no turn', { q: 'missing' }, 0],
  ['a word of the older half of the turns', { q: 'old' }, 20],
  ['two words of all turns, and a word of two turns', { q: 'common answer unique' }, 2],
  ['a model of all turns', { model: 'openai/gpt' }, 20],
  ['a model of no turn', { model: 'openai/none', q: 'common' }, 0],
  ['a metadata pair of all turns', { metadata: { tier: 'gold' } }, 20],
  ['a metadata pair of few turns, and a pair of all turns', { metadata: { tier: 'gold', customer: '17' } }, 20],
  ['a rare status, and a word of all turns', { statuses: ['failed', 'cancelled'], q: 'common' }, 10],
  ['a common status, and a word of few turns', { statuses: ['completed'], q: 'seldom' }, 20],
  ['an active status, and a word of all turns', { statuses: ['queued', 'in_progress'], q: 'common' }, 0],
  ['an error', { errorCode: 'provider_overloaded' }, 10],
  ['several statuses', { statuses: ['failed', 'queued', 'cancelled'] }, 10],
  ['a day', { createdAfter: daysAgo(61), createdBefore: daysAgo(60) }, 20],
  ['a word within a day', { createdAfter: daysAgo(61), createdBefore: daysAgo(60), q: 'common' }, 20],
  ['a rare agent', { agent: 'rare' }, 10],
  ['a rare agent, and a word of all turns', { agent: 'rare', q: 'common' }, 10],
  ['a version of a rare agent that does not exist', { agent: 'rare@9' }, 0],
  ['a missing version of a common agent', { agent: 'usual@9' }, 0],
  ['a common agent, and a word of all turns', { agent: 'usual', q: 'common' }, 20],
  ['a missing word within a day', { createdAfter: daysAgo(61), createdBefore: daysAgo(60), q: 'missing' }, 0],
])('turns are not scanned for %s', async (_, filter, expected) => {
  let length = Number.NaN;

  const looks = await looksOf(url, async (db) => {
    length = (await listTurns(db, 'default', { ...filter, limit: 20 })).rows.length;
  });

  expect(length).toBe(expected);
  expect(looks).toBeLessThan(FEW);
});

const queued: TurnFilter = { statuses: ['queued'] };

test.each<[string, (db: Db) => Promise<number>, number]>([
  ['their first page', (db) => queuedOf(db, {}), 20],
  ['a page of old turns', (db) => queuedOf(db, { before: firstIdAt('turn', msAgo(50 * 86_400_000)) }), 20],
  ['a page of a day', (db) => queuedOf(db, { createdAfter: daysAgo(61), createdBefore: daysAgo(60) }), 20],
  ['a count', async (db) => (await countByStatus(db, 'busy', { most: 100 })).counts.queued, 100],
])('queued turns are not scanned for %s', async (_, ask, expected) => {
  let length = Number.NaN;

  const looks = await looksOf(url, async (db) => {
    length = await ask(db);
  });

  expect(length).toBe(expected);
  expect(looks).toBeLessThan(500);
});

async function queuedOf(db: Db, page: Partial<TurnPage>): Promise<number> {
  return (await listTurns(db, 'busy', { ...queued, ...page, limit: 20 })).rows.length;
}

test('queued turns with a word are found in a bounded number of reads', async () => {
  let length = Number.NaN;

  const looks = await looksOf(url, async (db) => {
    length = (await findTurnIds(db, 'busy', { ...queued, q: 'common', limit: 20 })).length;
  });

  expect(length).toBe(20);
  expect(looks).toBeLessThan(FEW);
});

test('a batch of search entries is written without a read of other turns', async () => {
  await withDatabase(url, (db) =>
    sql`update turns set completed_at = now() - interval '3 seconds'
    where id in (select id from turns where completed_at is not null order by id desc limit 10)`.execute(db),
  );
  await withDatabase(url, (db) =>
    sql`update search_progress set turns_until = now() - interval '9 seconds'`.execute(db),
  );

  expect(await looksOf(url, enterBatch)).toBeLessThan(200);
});

test('matches are counted no further than requested', async () => {
  let count = Number.NaN;

  const looks = await looksOf(url, async (db) => {
    count = await countMatchingTurns(db, 'default', { q: 'common', most: 101 });
  });

  expect(count).toBe(101);
  expect(looks).toBeLessThan(FEW);
});

test.each([{ q: 'common' }, { q: 'missing' }, { model: 'openai/none' }, { metadata: { none: '1' } }])(
  'conversations are not scanned for %j',
  async (filter) => {
    const looks = await looksOf(url, (db) => listConversations(db, 'default', { ...filter, limit: 20 }));

    expect(looks).toBeLessThan(FEW);
  },
);

/** Fills the database with turns. Each id has the time of its turn, like an id of a clock. */
async function fill(db: Trx): Promise<void> {
  await sql
    .raw(`create function pg_temp.id_at(prefix text, at timestamptz, n int) returns text language sql as $$
    select prefix || '_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
      ((extract(epoch from at) * 1000)::bigint >> (5 * (9 - place)) & 31)::int + 1, 1), '' order by place)
      || lpad(n::text, 16, '0') from generate_series(0, 9) as place $$`)
    .execute(db);
  const made = sql`(select n, now() - (${TURNS} - n) * interval '7 minutes' - interval '1 minute' as at from generate_series(1, ${TURNS}::int) as n) as made`;
  await sql`insert into conversations (id, project, config, metadata, created_at)
    select pg_temp.id_at('conv', at, n), 'default', '{"model": "openai/gpt"}', '{}', at from ${made}`.execute(db);
  await sql`insert into turns (id, project, conversation_id, position, priority, config, input, metadata, status,
      last_event, model, output, error, created_at, started_at, completed_at, agent)
    select pg_temp.id_at('turn', at, n), 'default', pg_temp.id_at('conv', at, n), 1, 0, '{"model": "openai/gpt"}',
      json_build_array(json_build_object('role', 'user', 'content', concat_ws(' ', 'common', 'w' || n % 3000,
        case when n % 500 = 0 then 'seldom' end, case when n < ${TURNS}::int / 2 then 'old' end, case when n in (17, 18) then 'unique' end))),
      case when n % 500 = 5 then '{"customer": "17", "tier": "gold"}'::json else '{"tier": "gold"}' end,
      case when n % 2000 = 9 then 'failed' else 'completed' end, 3, 'openai/gpt', 'An answer',
      case when n % 2000 = 9 then '{"type": "provider_error", "code": "provider_overloaded"}'::json end, at, at, at,
      case when n % 2000 = 3 then 'rare@1' when n % 2 = 0 then 'usual@' || n % 4 end
    from ${made}`.execute(db);
  await sql`with created as (
      insert into turns (id, project, conversation_id, position, priority, config, input, metadata, created_at)
      select pg_temp.id_at('turn', at, n + ${TURNS}::int), 'busy', pg_temp.id_at('conv', at, n), 2, 0, '{"model": "openai/gpt"}',
        json_build_array(json_build_object('role', 'user', 'content', 'common')), '{}', at
      from ${made} where n % 4 = 0 returning *)
    insert into work (id, project, conversation_id, position, priority, stored, at_head, provider, model, due_at)
    select id, project, conversation_id, position, priority, stored, true, 'openai', 'openai/gpt', now() from created`.execute(
    db,
  );
}
