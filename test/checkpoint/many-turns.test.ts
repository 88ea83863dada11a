import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Connection, connect } from '#core/checkpoint/connect.ts';
import { beginTurn } from '#core/checkpoint/turns/begin.ts';
import { createFirstTurn } from '#core/checkpoint/turns/create.ts';
import { endWithRound } from '#core/checkpoint/turns/end.ts';
import { listEvents } from '#core/checkpoint/turns/reading/events.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { saveResults } from '#core/checkpoint/turns/save-results.ts';
import { saveRound } from '#core/checkpoint/turns/save-round.ts';
import { newId } from '#core/id.ts';
import type { Reply } from '#core/turn/reply.ts';
import { errorResult } from '#core/turn/tool-result.ts';
import { msAgo } from '#test/harness/moments.ts';
import { plainConfig } from '#test/harness/plain-config.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';
import { looksOf } from './looks.ts';

let url: string;
let connection: Connection;

beforeEach(async () => {
  url = await createTestDatabase();
  connection = connect(url);
});

afterEach(() => connection.close());

test('concurrent writes of different turns are committed together, as if separate', async () => {
  const ids = await startTurns(5);
  const begun = await Promise.all(ids.map((id) => beginTurn(connection.db, id, `run of ${id}`)));
  const rounds = await inOneTransaction(() => Promise.all(ids.map((id) => save(id))));
  const results = await inOneTransaction(() => Promise.all(ids.map((id) => answer(id, [0, 1]))));
  const ends = await inOneTransaction(() => Promise.all(ids.map((id) => end(id, `answer of ${id}`))));

  expect(begun.map((turn) => [turn?.id, turn?.status])).toEqual(ids.map((id) => [id, 'queued']));
  expect(rounds.map((saved) => saved?.wakeups)).toEqual(
    ids.map((turnId) => [expect.objectContaining({ turnId, step: 'b1' })]),
  );
  expect(results.map(({ written, wakeups }) => [written, wakeups])).toEqual(
    ids.map((turnId) => [[0, 1], [expect.objectContaining({ turnId, step: 'r2' })]]),
  );
  expect(ends).toEqual(ids.map(() => []));
  for (const id of ids) {
    const turn = await loadTurn(connection.db, id);
    expect([turn?.status, turn?.output, turn?.rounds.length]).toEqual(['completed', `answer of ${id}`, 2]);
    expect(turn?.rounds.map(({ model }) => model)).toEqual([plainConfig.model, plainConfig.model]);
    expect(await eventsOf(id)).toEqual([
      '1 turn.queued',
      '2 turn.started',
      '3 round.completed',
      '4 tool_call.completed',
      '5 tool_call.completed',
      '6 round.completed',
      '7 turn.completed',
    ]);
  }
});

test('the first of two concurrent writes to a turn wins, without effect on other turns', async () => {
  const [one = '', two = ''] = await startTurns(2);
  await Promise.all([one, two].map((id) => beginTurn(connection.db, id, 'run')));

  const saved = await Promise.all([save(one, 'first'), save(two), save(one, 'late')]);

  expect(saved.map((written) => written?.wakeups.length ?? null)).toEqual([1, 1, null]);
  expect((await loadTurn(connection.db, one))?.rounds.map(({ text }) => text)).toEqual(['first']);
});

test('separate results of the same batch are each written once', async () => {
  const [id = ''] = await startTurns(1);
  await beginTurn(connection.db, id, 'run');
  await save(id);

  const answers = await Promise.all([answer(id, [0]), answer(id, [1]), answer(id, [0])]);

  expect(answers.map(({ written }) => written)).toEqual([[0], [1], []]);
  expect(answers.map(({ wakeups }) => wakeups.length)).toEqual([0, 1, 0]);
});

test('a failing write does not roll back others in its group', async () => {
  const ids = await startTurns(3);
  await Promise.all(ids.map((id) => beginTurn(connection.db, id, 'run')));
  const broken = saveRound(connection.db, { ...roundOf(ids[1] ?? ''), attempts: 2 ** 40 });

  const saved = await Promise.allSettled([save(ids[0] ?? ''), broken, save(ids[2] ?? '')]);

  expect(saved.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect((await loadTurn(connection.db, ids[1] ?? ''))?.work.step).toBe('r1');
});

test('turns that end together create a delivery for each receiver', async () => {
  const webhook = {
    url: 'https://one.example/hook',
    events: ['round.completed', 'turn.completed'] as const,
    include: [],
  };
  const ids = await startTurns(3, { ...plainConfig, webhook: { ...webhook, events: [...webhook.events] } });
  await Promise.all(ids.map((id) => beginTurn(connection.db, id, 'run')));

  const ends = await Promise.all(ids.map((id) => end(id, 'answer', { number: 1, step: 'r1' })));

  const { rows } = await sql<{ id: string; turn_id: string; event_number: number }>`
    select id, turn_id, event_number from deliveries order by turn_id, event_number`.execute(connection.db);
  expect(rows.map(({ turn_id, event_number }) => [turn_id, event_number])).toEqual(
    ids.toSorted().flatMap((id) => [
      [id, 3],
      [id, 4],
    ]),
  );
  expect(new Set(rows.map(({ id }) => id)).size).toBe(6);
  expect(ends).toEqual(ids.map(() => [{ kind: 'deliveries' }]));
});

test('opaque provider data is stored exactly, also if Postgres cannot store it as text', async () => {
  const [id = ''] = await startTurns(1);
  await beginTurn(connection.db, id, 'run');
  const opaque = { provider: 'openai', thought: 'nothing \u0000 and a half \ud83d' };
  const round = roundOf(id);

  await saveRound(connection.db, { ...round, reply: { ...round.reply, opaque } });

  expect((await loadTurn(connection.db, id))?.rounds[0]?.opaque).toEqual(opaque);
});

test('a turn begins once, with any number of concurrent runs', async () => {
  const [id = ''] = await startTurns(1);

  const begun = await Promise.all(['a', 'b', 'c'].map((run) => beginTurn(connection.db, id, run)));

  expect(begun.filter((turn) => turn !== undefined)).toHaveLength(1);
  expect((await loadTurn(connection.db, id))?.work).toMatchObject({ leaseOwner: 'a', starts: 1 });
});

test('statements planned for empty tables still use keys after the tables are full', async () => {
  const [first = '', second = ''] = await startTurns(2);
  await Promise.all([first, second].map((id) => beginTurn(connection.db, id, 'run')));
  await Promise.all([first, second].map((id) => save(id)));
  await connection.close();

  const looks = await looksOf(url, async (db) => {
    await answer(first, [0], db);
    await answer(first, [1], db);
    await sql`insert into tool_calls (turn_id, round, index, id, name, arguments, effect)
      select 'turn_' || n, 1, 0, 'call_0', 'look', '{}', 'none' from generate_series(1, 3000) as n`.execute(db);
    await answer(second, [0, 1], db);
  });

  connection = connect(url);
  expect((await loadTurn(connection.db, second))?.work.step).toBe('r2');
  expect(looks).toBeLessThan(1_000);
});

async function startTurns(count: number, config = plainConfig): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('turn'));
  for (const id of ids) {
    const input = [{ role: 'user' as const, content: 'hello' }];
    const turn = {
      id,
      project: 'default',
      conversationId: `conv_${id}`,
      config,
      input,
      metadata: {},
      priority: 0,
    };
    await createFirstTurn(connection.db, turn, { config: { model: plainConfig.model }, metadata: {} });
  }
  return ids;
}

const REPLY: Reply = {
  text: 'Let me see.',
  calls: [],
  finishReason: 'stop',
  finishReasonRaw: 'stop',
  usage: null,
  opaque: null,
};

function roundOf(turnId: string, text = 'Let me see.') {
  const calls = [0, 1].map((index) => ({
    ...{ id: `call_${index}`, name: 'look', arguments: '{}', effect: 'none' as const },
    ...{ waitsFor: null, expiresInSeconds: null },
  }));
  const reply = { ...REPLY, text };
  const { model } = plainConfig;
  return { turnId, number: 1, model, reply, calls, attempts: 1, startedAt: msAgo(0), warnings: [], webhook: null };
}

function save(turnId: string, text?: string) {
  return saveRound(connection.db, roundOf(turnId, text));
}

function answer(turnId: string, indexes: number[], db = connection.db) {
  const result = errorResult({ category: 'resource_not_found', message: 'nothing', details: {} });
  const callAt = (index: number) => ({ index, id: `call_${index}`, arguments: '{}' });
  const results = indexes.map((index) => ({ call: callAt(index), result, fullOutput: null }));
  return saveResults(db, { turnId, round: 1, results });
}

function end(turnId: string, output: string, { number, step } = { number: 2, step: 'r2' }) {
  const reply = { ...REPLY, text: output };
  const lastRound = { number, model: plainConfig.model, reply, attempts: 1, startedAt: msAgo(0) };
  const ending = {
    turnId,
    conversationId: `conv_${turnId}`,
    status: 'completed' as const,
    output,
    step,
    lastRound,
  };
  return endWithRound(connection.db, ending);
}

async function eventsOf(id: string): Promise<string[]> {
  const events = await listEvents(connection.db, id, { after: 0, limit: 100 });
  return events.map(({ number, type }) => `${number} ${type}`);
}

/** Runs an action, and expects that all its writes are in the same transaction. */
async function inOneTransaction<T>(act: () => Promise<T>): Promise<T> {
  const done = await act();
  const { rows } = await sql<{ xids: number }>`
    select count(distinct xid)::int as xids from (
      select xmin::text as xid from work union all select xmin::text from turns where completed_at is not null
    ) as written`.execute(connection.db);
  expect(rows[0]?.xids).toBe(1);
  return done;
}
