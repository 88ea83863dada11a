import { type RawBuilder, sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { admitTurns } from '#core/checkpoint/limits/admit-turns.ts';
import { requireSlots } from '#core/checkpoint/limits/require-slots.ts';
import { rescueTurns } from '#core/checkpoint/rescue.ts';
import { enterBatch } from '#core/checkpoint/search/enter-turns.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { beginTurn } from '#core/checkpoint/turns/begin.ts';
import { createFirstTurn } from '#core/checkpoint/turns/create.ts';
import { renewLeases } from '#core/checkpoint/turns/lease.ts';
import { newId } from '#core/id.ts';
import { plainConfig } from '#test/harness/plain-config.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';
import { looksOf, withDatabase } from './looks.ts';

// Postgres has not counted the rows of these tables, or counted before most were committed. The cost of a statement
// must not depend on the estimates of Postgres.

const TURNS = 1_000;
let url: string;
let ids: string[];

beforeEach(async () => {
  url = await createTestDatabase();
  ids = Array.from({ length: TURNS }, () => newId('turn'));
});

test('a heartbeat reads only its own turns, in a table of any size', async () => {
  const [turnId = ''] = ids;
  await withDatabase(url, async (db) => {
    await createTurns(db, ids);
    await beginTurn(db, turnId, 'run');
  });
  const renewal = { turnId, step: 'r1', generation: 0, runId: 'run', isFirst: false, counts: false };

  const looks = await looksOf(url, async (db) => {
    expect([...(await renewLeases(db, [renewal])).keys()]).toEqual(['run']);
  });

  expect(looks).toBeLessThan(50);
});

test('a conversation is entered into the search without a read of other rows', async () => {
  const newest = sql`(select id from conversations order by id desc limit 10)`;
  await withDatabase(url, async (db) => {
    await createTurns(db, ids);
    await sql`update conversations set created_at = now() - interval '1 hour'`.execute(db);
    await sql`update conversations set created_at = now() - interval '3 seconds' where id in ${newest}`.execute(db);
    await sql`update search_progress set conversations_until = now() - interval '9 seconds', active_until = 'turn_z'`.execute(
      db,
    );
  });

  expect(await looksOf(url, enterBatch)).toBeLessThan(200);

  await withDatabase(url, async (db) => {
    const { rows } = await sql`select from search_entries where id in ${newest}`.execute(db);
    expect(rows).toHaveLength(10);
  });
});

test.each<[string, RawBuilder<unknown>, (db: Db) => Promise<unknown>]>([
  ['turns that newly need a slot', sql`slot = null`, requireSlots],
  ['turns that get a slot after a wait', sql`slot = 'none', due_at = now() - interval '1 minute'`, admit],
  ['late turns', sql`due_at = now() - interval '1 minute'`, (db) => rescueTurns(db, TURNS)],
  [
    'late turns of a model with a rate limit',
    sql`due_at = now() - interval '1 minute', step = 'r1'`,
    (db) => rescueTurns(db, TURNS, [{ name: plainConfig.model, forMs: 60_000, counts: false }]),
  ],
])('%s are locked once, although Postgres counted before their commit', async (_, changes, ask) => {
  await withDatabase(url, async (db) => {
    await createTurns(db, ids.slice(0, 1));
    await db.transaction().execute(async (trx) => {
      await createTurns(trx, ids.slice(1));
      await sql`vacuum analyze turns, work`.execute(db);
    });
    await sql`update work set ${changes}`.execute(db);
  });

  expect(await looksOf(url, ask)).toBeLessThan(20 * TURNS);
});

async function admit(db: Db) {
  await admitTurns(db, { shares: [], isShared: true, ownSlots: 16 });
}

async function createTurns(db: Db, turnIds: string[]) {
  const conversation = { config: { model: plainConfig.model }, metadata: {} };
  await Promise.all(turnIds.map((id) => createFirstTurn(db, turnOf(id), conversation)));
}

function turnOf(id: string) {
  const input = [{ role: 'user' as const, content: 'hello' }];
  const conversationId = `conv_${id}`;
  return { id, project: 'default', conversationId, config: plainConfig, input, metadata: {}, priority: 0 };
}
