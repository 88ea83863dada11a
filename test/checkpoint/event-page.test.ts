import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { Db } from '#core/checkpoint/tables.ts';
import { createFirstTurn } from '#core/checkpoint/turns/create.ts';
import { readEventPage } from '#core/checkpoint/turns/reading/event-page.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { plainConfig } from '#test/harness/plain-config.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';
import { looksOf, withDatabase } from './looks.ts';

const TURN = 'turn_01k00000000000000000000000';
const ROUNDS = 1_000;
const EVENTS = 3 * ROUNDS + 1;
let url: string;

beforeAll(async () => {
  url = await createTestDatabase();
  await withDatabase(url, async (db) => {
    const input = [{ role: 'user' as const, content: 'hello' }];
    const about = { project: 'default', conversationId: 'conv_01k00000000000000000000000', config: plainConfig };
    const turn = { ...about, id: TURN, input, metadata: {}, priority: 0 };
    await createFirstTurn(db, turn, { config: { model: plainConfig.model }, metadata: {} });
    await addRounds(db);
  });
});

test.each([0, EVENTS / 2, EVENTS - 50])(
  'an event page after number %d reads the rows of its own events only',
  async (after) => {
    const page = (db: Db) => readEventPage(db, TURN, { after: Math.floor(after), limit: 30 });

    const looks = await looksOf(url, page);

    // Each of 30 events is read with its round or call. The sizes are read before.
    expect(looks).toBeLessThan(600);
    expect(await looksOf(url, (db) => loadTurn(db, TURN))).toBeGreaterThan(2 * ROUNDS);
  },
);

test('event pages of a turn contain each event once', async () => {
  const numbers: number[] = [];
  await withDatabase(url, async (db) => {
    for (let last = 0; last < EVENTS; last = numbers.at(-1)!) {
      const { events } = (await readEventPage(db, TURN, { after: last, limit: 400 }))!;
      numbers.push(...events.map(({ number }) => number));
    }
  });

  expect(numbers).toEqual(Array.from({ length: EVENTS }, (_, index) => index + 1));
});

/** Gives the turn rounds with two answered calls each, and their events. */
async function addRounds(db: Db): Promise<void> {
  const numbers = sql`generate_series(1, ${ROUNDS}::int) as n`;
  await sql`insert into rounds (turn_id, number, model, text, finish_reason, attempts, started_at)
    select ${TURN}, n, 'openai/x', 'Let me look.', 'tool_calls', 1, now() from ${numbers}`.execute(db);
  const result = { status: 'success', content: 'sunny', error: null, truncated: false, cached: false };
  const answer = JSON.stringify({ ...result, duration_ms: 1, attempts: 1 });
  await sql`insert into tool_calls (turn_id, round, index, id, name, arguments, effect, result, completed_at)
    select ${TURN}, n, index, 'call_' || n || '_' || index, 'look', '{}', 'none', ${answer}::text::json, now()
    from ${numbers}, generate_series(0, 1) as index`.execute(db);
  await sql`insert into events (turn_id, number, id, type, round, call_index)
    select ${TURN}, 3 * n - 1 + kind, 'evt_' || n || '_' || kind,
      case kind when 0 then 'round.completed' else 'tool_call.completed' end, n, case kind when 0 then null else kind - 1 end
    from ${numbers}, generate_series(0, 2) as kind`.execute(db);
  await sql`update work set last_event = ${EVENTS}, status = 'in_progress', started_at = now() where id = ${TURN}`.execute(
    db,
  );
  await sql`analyze`.execute(db);
}
