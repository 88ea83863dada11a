import { sql } from 'kysely';
import { expect } from 'vitest';
import { countMatchingTurns, findTurnIds } from '#core/checkpoint/search/find-turns.ts';
import { matchingTurns, type TurnFilter } from '#core/checkpoint/search/turn-filter.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { enterAll } from '#services/worker/routines/enter-all.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { enterNow } from '#test/harness/enter-now.ts';
import { fork, startAlone } from '#test/harness/hidden-turns.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';

const REFUSED = { kind: 'status', status: 401 } as const;

/** Returns the ids that match a filter, and expects the same from all three ways: a page, a count and a condition. */
async function found({ db }: Harness, filter: TurnFilter): Promise<string[]> {
  const ids = await findTurnIds(db, 'default', { ...filter, limit: 100 });
  const matching = await matchingTurns(db, 'default', filter);
  const { rows } = await sql<{ id: string }>`select id from (${matching}) as matching order by id desc`.execute(db);
  expect(rows.map(({ id }) => id)).toEqual(ids);
  expect(await countMatchingTurns(db, 'default', { ...filter, most: 100 })).toBe(ids.length);
  return ids;
}

async function entries({ db }: Harness): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from search_entries where id like 'turn%' order by id`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

test('a turn that was entered into the search while active is found by its answer', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: scripted({ answer: 'A pumpkin' }) });
  await enterNow(harness);
  expect(await found(harness, { q: '-xylophone', statuses: ['completed'] })).toEqual([]);

  await harness.workUntilIdle();

  expect(await found(harness, { statuses: ['completed'], q: 'pumpkin' })).toEqual([id]);
  expect(await found(harness, { statuses: ['queued', 'in_progress'], q: 'pumpkin' })).toEqual([]);
  await enterNow(harness);
  expect(await found(harness, { statuses: ['completed', 'queued'], q: 'pumpkin' })).toEqual([id]);
});

test('a turn is entered once after its end, and also before if it is active for 30 s', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: scripted({ answer: 'A pumpkin' }) });

  await makeOlder(harness, 15);
  await enterAll(harness.worker);
  expect(await entries(harness)).toEqual([]);
  expect(await found(harness, { q: 'pumpkin', statuses: ['queued'] })).toEqual([id]);
  await harness.workUntilIdle();
  const slow = await harness.startTurn({ input: 'pumpkin' });
  await makeOlder(harness, 15);
  await enterAll(harness.worker);
  expect(await entries(harness)).toEqual([id]);
  await makeOlder(harness, 15);
  await enterAll(harness.worker);

  expect(await entries(harness)).toEqual([id, slow.id]);
  expect(await found(harness, { q: 'pumpkin' })).toEqual([slow.id, id]);
  expect(await found(harness, { q: 'pumpkin', statuses: ['completed'] })).toEqual([id]);
});

/** Makes all turns older: their creation and their end. */
async function makeOlder({ db }: Harness, seconds: number): Promise<void> {
  const by = sql`make_interval(secs => ${seconds}::int)`;
  await sql`update turns set created_at = created_at - ${by}, completed_at = completed_at - ${by}`.execute(db);
  await sql`update search_progress set turns_until = turns_until - ${by}`.execute(db);
}

test('a retried turn is found as active at once, and no longer as failed', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: scripted({ answer: 'Hi', final: { fault: REFUSED } }) });
  await harness.workUntilIdle();
  await enterNow(harness);
  const failed = { errorCode: 'provider_authentication_failed' };
  expect(await found(harness, failed)).toEqual([id]);

  await harness.call('POST', `/v1/turns/${id}/retry`);

  expect(await found(harness, failed)).toEqual([]);
  expect(await found(harness, { ...failed, statuses: ['failed'] })).toEqual([]);
  expect(await found(harness, { statuses: ['queued', 'in_progress'], model: 'openai/test' })).toEqual([id]);
});

test('a deleted, hidden or added turn is not found, and leaves no search entry', async ({ harness }) => {
  const kept = await harness.startTurn({ input: 'pumpkin' });
  const deleted = await harness.startTurn({ input: 'pumpkin' });
  await startAlone(harness, { input: 'pumpkin', stored: false });
  const items = [{ role: 'user', content: 'pumpkin' }];
  await harness.call('POST', '/openai/v1/conversations', { body: { items } });
  await harness.workUntilIdle();
  await enterNow(harness);
  expect(await entries(harness)).toEqual([kept.id, deleted.id]);

  await harness.call('DELETE', `/v1/conversations/${deleted.conversation_id}`);

  expect(await found(harness, { q: 'pumpkin' })).toEqual([kept.id]);
  expect(await entries(harness)).toEqual([kept.id]);
});

test('a deleted response has no search entry, although its row may still be history', async ({ harness }) => {
  const respond = (body: object) =>
    harness.call<{ id: string }>('POST', '/openai/v1/responses', {
      body: { model: 'openai/test', background: true, ...body },
    });
  const first = await respond({ input: 'pumpkin' });
  await harness.workUntilIdle();
  await respond({ input: 'beet', previous_response_id: first.body.id });
  await harness.workUntilIdle();
  await enterNow(harness);
  expect(await entries(harness)).toHaveLength(2);

  await harness.call('DELETE', `/openai/v1/responses/${first.body.id}`);
  await enterNow(harness);

  expect(await entries(harness)).toHaveLength(1);
  expect(await found(harness, { q: 'pumpkin' })).toEqual([]);
});

test('a deleted turn that a fork keeps has no search entry, nor has its conversation', async ({ harness }) => {
  const metadata = { customer: '17' };
  const { body } = await harness.call('POST', '/v1/conversations', { body: { model: 'openai/test', metadata } });
  const path = `/v1/conversations/${body.id}`;
  const { body: turn } = await harness.call<TurnResource>('POST', `${path}/turns`, { body: { input: 'pumpkin' } });
  await harness.workUntilIdle();
  const other = await harness.startTurn({ input: 'pumpkin' });
  await harness.workUntilIdle();
  for (const forked of [turn.id, other.id]) await fork(harness, forked);
  await harness.workUntilIdle();
  await enterNow(harness);
  const before = await allEntries(harness);

  await harness.call('DELETE', `/v1/turns/${other.id}`);
  await harness.call('DELETE', path);
  const after = await allEntries(harness);
  await enterNow(harness);

  const gone = [turn.id, other.id, body.id];
  expect(gone.map((id) => before.includes(`${id}`))).toEqual([true, true, true]);
  expect(gone.map((id) => after.includes(`${id}`))).toEqual([false, false, false]);
  expect(await allEntries(harness)).toEqual(after);
  expect(await found(harness, { q: 'pumpkin' })).toEqual([]);
  const { rows } = await sql`select from turns where id in (${turn.id}, ${other.id})`.execute(harness.db);
  expect(rows).toHaveLength(2);
});

async function allEntries({ db }: Harness): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from search_entries order by id`.execute(db);
  return rows.map(({ id }) => id);
}

test('a text with more different words than an entry has is found by the first words', async ({ harness }) => {
  const words = Array.from({ length: 90_000 }, (_, number) => `w${number.toString(36)}x`).join(' ');
  const { id } = await harness.startTurn({ input: `pumpkin ${words.slice(0, 900_000)}` });

  expect(await found(harness, { q: 'pumpkin w1x' })).toEqual([id]);
  await enterNow(harness);
  expect(await found(harness, { q: 'pumpkin w1x' })).toEqual([id]);
});

test('each turn of the same moment is entered once, and the newest a moment later', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: 'pumpkin', metadata: { customer: '17' } });
  await enterAll(harness.worker);
  expect(await entries(harness)).toEqual([]);
  expect(await found(harness, { metadata: { customer: '17' } })).toEqual([id]);
  await copy(harness, 450);

  await enterNow(harness);

  expect(await entries(harness)).toHaveLength(451);
  expect(await countMatchingTurns(harness.db, 'default', { q: 'pumpkin', most: 1_000 })).toBe(451);
  expect(await countMatchingTurns(harness.db, 'default', { q: 'pumpkin', most: 100 })).toBe(100);
  const seen = await pages(harness, 'q=pumpkin&limit=100');
  expect([seen.length, new Set(seen).size]).toEqual([451, 451]);
});

type Page = { data: TurnResource[]; next_cursor: string | null };

/** Returns the ids of all pages of a list, while new matching turns are created. */
async function pages({ call, startTurn }: Harness, query: string): Promise<string[]> {
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { body }: { body: Page } = await call<Page>('GET', `/v1/turns?${query}${cursor && `&cursor=${cursor}`}`);
    seen.push(...body.data.map(({ id }) => id));
    await startTurn({ input: 'pumpkin' });
    cursor = body.next_cursor;
  }
  return seen;
}

/** Copies the only turn with its work, under ids of many different times. */
async function copy({ db }: Harness, count: number): Promise<void> {
  const [columns, ofWork] = [await columnsOf(db, 'turns'), await columnsOf(db, 'work')];
  const digits = '0123456789abcdefghjkmnpqrstvwxyz';
  await sql`with copied as (
      insert into turns (id, position, ${columns})
      select 'turn_01k' || substr(${digits}, n % 32 + 1, 1) || substr(${digits}, n / 32 + 1, 1) || lpad(n::text, 21, '0'), n + 1, ${columns}
      from turns, generate_series(1, ${count}::int) as n
      returning id as copied_id, position as copied_position
    )
    insert into work (id, position, at_head, ${ofWork})
    select copied_id, copied_position, false, ${ofWork} from copied, work`.execute(db);
}

/** Returns the columns of a table that may have equal values in each row. */
async function columnsOf(db: Harness['db'], table: 'turns' | 'work') {
  const { rows } = await sql<{ name: string }>`
    select column_name as name from information_schema.columns
    where table_name = ${table} and is_generated = 'NEVER' and column_name not in ('id', 'position', 'at_head')`.execute(
    db,
  );
  return sql.join(rows.map(({ name }) => sql.ref(name)));
}
