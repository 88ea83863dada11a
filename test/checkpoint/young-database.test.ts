import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { enterPortion } from '#core/checkpoint/search/enter-turns.ts';
import { beginTurn } from '#core/checkpoint/turns/begin.ts';
import { createFirstTurn } from '#core/checkpoint/turns/create.ts';
import { renewLeases } from '#core/checkpoint/turns/lease.ts';
import { newId } from '#core/id.ts';
import { plainConfig } from '#test/harness/plain-config.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';
import { looksOf, withDatabase } from './looks.ts';

// Tables whose rows Postgres has not counted yet: what a statement costs must not depend on what it takes them for.

const TURNS = 1_000;
let url: string;
let ids: string[];

beforeEach(async () => {
  url = await createTestDatabase();
  ids = Array.from({ length: TURNS }, () => newId('turn'));
  await withDatabase(url, async (db) => {
    await Promise.all(
      ids.map((id) => createFirstTurn(db, turnOf(id), { config: { model: plainConfig.model }, metadata: {} })),
    );
  });
});

test('a heartbeat looks at its turns alone, whatever waits beside them', async () => {
  const [turnId = ''] = ids;
  await withDatabase(url, (db) => beginTurn(db, turnId, 'run'));
  const renewal = { turnId, step: 'r1', generation: 0, runId: 'run', isFirst: false, counts: false };

  const looks = await looksOf(url, async (db) => {
    expect([...(await renewLeases(db, [renewal])).keys()]).toEqual(['run']);
  });

  expect(looks).toBeLessThan(50);
});

test('a conversation is entered into the search without a look at the others', async () => {
  const newest = sql`(select id from conversations order by id desc limit 10)`;
  await withDatabase(url, async (db) => {
    await sql`update conversations set created_at = now() - interval '1 hour'`.execute(db);
    await sql`update conversations set created_at = now() - interval '3 seconds' where id in ${newest}`.execute(db);
    await sql`update search_progress set conversations_until = now() - interval '9 seconds', active_until = 'turn_z'`.execute(
      db,
    );
  });

  expect(await looksOf(url, enterPortion)).toBeLessThan(200);

  await withDatabase(url, async (db) => {
    const { rows } = await sql`select from search_entries where id in ${newest}`.execute(db);
    expect(rows).toHaveLength(10);
  });
});

function turnOf(id: string) {
  const input = [{ role: 'user' as const, content: 'hello' }];
  const conversationId = `conv_${id}`;
  return { id, project: 'default', conversationId, config: plainConfig, input, metadata: {}, priority: 0 };
}
