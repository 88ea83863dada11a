import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { listConversations } from '#core/checkpoint/conversations.ts';
import { admitTurns } from '#core/checkpoint/limits/admit-turns.ts';
import { rescueTurns } from '#core/checkpoint/rescue.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { beginTurn } from '#core/checkpoint/turns/begin.ts';
import { createFirstTurn } from '#core/checkpoint/turns/create.ts';
import { endWithRound } from '#core/checkpoint/turns/end.ts';
import { listEvents } from '#core/checkpoint/turns/reading/events.ts';
import { findTurn, loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { loadHistory } from '#core/checkpoint/turns/reading/history.ts';
import { listTurns } from '#core/checkpoint/turns/reading/list.ts';
import { takeDeliveries } from '#core/checkpoint/webhooks/take-deliveries.ts';
import { msAgo } from '#test/harness/moments.ts';
import { plainConfig } from '#test/harness/plain-config.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';
import { looksOf, withDatabase } from './looks.ts';

const ROOM = {
  free: 64,
  firsts: 0,
  projects: [],
  receivers: [],
  answering: [],
  doubtful: [],
  hanging: [],
  unknown: { project: 64, receiver: 4 },
};
const SHARE = { project: 'default', weight: 1, most: 10 };
const FINISHED = 5_000;
/** The number of rows and index entries that a query may read, in a database of any size. */
const FEW = 200;

const TURN = 'turn_01k00000000000000000000000';
const CONVERSATION = 'conv_01k00000000000000000000000';
let url: string;

beforeAll(async () => {
  url = await createTestDatabase();
  await withDatabase(url, async (db) => {
    await finishOne(db);
    await copyIt(db);
  });
});

test.each<[string, (db: Db) => Promise<unknown>]>([
  ['a poll', (db) => findTurn(db, 'default', TURN)],
  ['the load of a turn', (db) => loadTurn(db, TURN)],
  ['the events of a turn', (db) => listEvents(db, TURN, { after: 0, limit: 100 })],
  ['the history of a conversation', (db) => loadHistory(db, CONVERSATION)],
  ['a page of turns', (db) => listTurns(db, 'default', { limit: 20 })],
  ['a later page of turns', (db) => listTurns(db, 'default', { limit: 20, before: idOf('turn', 2_500) })],
  ['the turns of one status', (db) => listTurns(db, 'default', { limit: 20, statuses: ['completed'] })],
  ['the turns of a status without turns', (db) => listTurns(db, 'default', { limit: 20, statuses: ['failed'] })],
  ['the turns of a conversation', (db) => listTurns(db, 'default', { limit: 20, conversationId: CONVERSATION })],
  ['a page of conversations', (db) => listConversations(db, 'default', { limit: 20 })],
  ['the rescue of turns', (db) => rescueTurns(db, 100)],
  ['a search for deliveries', (db) => takeDeliveries(db, ROOM)],
  ['an admission', (db) => admitTurns(db, { shares: [SHARE], isShared: true, ownSlots: 64 })],
])('finished rows are not scanned: %s', async (_, ask) => {
  expect(await looksOf(url, ask)).toBeLessThan(FEW);
});

test('a query that scans all rows is detected', async () => {
  expect(await looksOf(url, (db) => sql`select count(output) from turns`.execute(db))).toBeGreaterThan(FINISHED);
});

async function finishOne(db: Db): Promise<void> {
  const input = [{ role: 'user' as const, content: 'hello' }];
  const turn = {
    project: 'default',
    conversationId: CONVERSATION,
    config: plainConfig,
    input,
    metadata: {},
    priority: 0,
  };
  await createFirstTurn(db, { ...turn, id: TURN }, { config: { model: plainConfig.model }, metadata: {} });
  await beginTurn(db, TURN, 'run');
  const reply = {
    text: 'Hi.',
    calls: [],
    finishReason: 'stop',
    finishReasonRaw: 'stop',
    usage: null,
    opaque: null,
  } as const;
  await endWithRound(db, {
    ...{ turnId: TURN, conversationId: CONVERSATION, status: 'completed', output: 'Hi.', step: 'r1' },
    lastRound: {
      number: 1,
      model: plainConfig.model,
      reply: { ...reply, calls: [] },
      attempts: 1,
      startedAt: msAgo(0),
    },
  });
}

/** Copies the rows of the finished turn under older ids. */
async function copyIt(db: Db): Promise<void> {
  const older = (prefix: string) => sql`${`${prefix}_00`}::text || lpad(n::text, 24, '0')`;
  const copies = sql`generate_series(1, ${FINISHED}::int) as n`;
  const ids = sql`json_build_object('id', ${older('turn')}, 'conversation_id', ${older('conv')})`;
  await sql`insert into conversations select (json_populate_record(one, json_build_object('id', ${older('conv')}))).*
    from conversations as one, ${copies}`.execute(db);
  const given = sql.join((await givenColumns(db, 'turns')).map((name) => sql.ref(name)));
  await sql`insert into turns (${given})
    select ${given} from (select (json_populate_record(one, ${ids})).* from turns as one, ${copies}) as copy`.execute(
    db,
  );
  for (const table of ['rounds', 'events']) {
    const its = sql`json_build_object('turn_id', ${older('turn')})`;
    const anew =
      table === 'events' ? sql`(${its}::jsonb || jsonb_build_object('id', 'evt_' || n || '_' || number))::json` : its;
    await sql`insert into ${sql.table(table)} select (json_populate_record(one, ${anew})).*
      from ${sql.table(table)} as one, ${copies}`.execute(db);
  }
  await sql`analyze`.execute(db);
}

/** Returns the columns of a table that the database does not compute. */
async function givenColumns(db: Db, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select column_name as name from information_schema.columns
    where table_name = ${table} and is_generated = 'NEVER'`.execute(db);
  return rows.map(({ name }) => name);
}

function idOf(prefix: string, number: number): string {
  return `${prefix}_00${String(number).padStart(24, '0')}`;
}
