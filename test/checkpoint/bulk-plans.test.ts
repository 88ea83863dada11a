import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createBulk } from '#core/checkpoint/bulk/create-bulk.ts';
import { listConversations } from '#core/checkpoint/conversations.ts';
import { countMatchingTurns } from '#core/checkpoint/search/find-turns.ts';
import { matchingTurns } from '#core/checkpoint/search/turn-filter.ts';
import { firstIdAt } from '#core/id.ts';
import { msAgo } from '#test/harness/moments.ts';
import { plainConfig } from '#test/harness/plain-config.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';
import { looksOf, withDatabase } from './looks.ts';

const TURNS = 900;

const FILTERS = [
  ['metadata', { metadata: { batch: 'a' } }],
  ['a word', { q: 'common' }],
  ['a model', { model: 'openai/test' }],
] as const;

/** Fills a database with turns that were queued just now, without search entries. */
async function fillQueued(): Promise<string> {
  const url = await createTestDatabase();
  await withDatabase(url, async (db) => {
    await sql`insert into conversations (id, project, config, metadata)
      select 'conv_' || n, 'default', '{}', '{}' from generate_series(1, ${TURNS}) as n`.execute(db);
    await sql`with created as (
        insert into turns (id, conversation_id, project, position, config, input, metadata, priority)
        select ${firstIdAt('turn', msAgo(0)).slice(0, -6)} || lpad(n::text, 6, '0'), 'conv_' || n, 'default', 1, ${plainConfig}::json,
          ${[{ role: 'user', content: 'common' }]}::json, '{"batch":"a"}', 0 from generate_series(1, ${TURNS}) as n
        returning *
      )
      insert into work (id, conversation_id, project, position, priority, stored, at_head, provider, model, due_at)
      select id, conversation_id, project, position, priority, stored, true, 'openai', 'openai/test', now() from created`.execute(
      db,
    );
  });
  return url;
}

test.each(FILTERS)('a bulk of recently queued turns reads a few rows for each turn, found by %s', async (_, filter) => {
  const url = await fillQueued();
  let matched = 0;

  const looks = await looksOf(url, (db) =>
    db.transaction().execute(async (trx) => {
      const matching = await matchingTurns(trx, 'default', filter);
      matched = await createBulk(trx, { id: 'bulk_1', project: 'default', action: 'cancel', filter: {}, matching });
    }),
  );

  expect(matched).toBe(TURNS);
  expect(looks).toBeLessThan(30 * TURNS);
});

test.each(FILTERS)(
  'recently queued turns are counted with a few reads for each turn, found by %s',
  async (_, filter) => {
    const url = await fillQueued();
    let matched = 0;

    const looks = await looksOf(url, async (db) => {
      matched = await countMatchingTurns(db, 'default', { ...filter, most: 10_000 });
    });

    expect(matched).toBe(TURNS);
    expect(looks).toBeLessThan(30 * TURNS);
  },
);

test('conversations with recently queued turns are found with a few reads a turn', async () => {
  const url = await fillQueued();
  let length = 0;

  const looks = await looksOf(url, async (db) => {
    length = (await listConversations(db, 'default', { q: 'common', limit: 100 })).rows.length;
  });

  expect(length).toBe(100);
  expect(looks).toBeLessThan(60 * TURNS);
});
