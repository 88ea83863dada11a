import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Connection, connect } from '#core/checkpoint/connect.ts';
import { beginTurn } from '#core/checkpoint/turns/begin.ts';
import { createFirstTurn } from '#core/checkpoint/turns/create.ts';
import { endTurn, endWithRound } from '#core/checkpoint/turns/end.ts';
import { renewLeases, takeLease } from '#core/checkpoint/turns/lease.ts';
import { postponeStep } from '#core/checkpoint/turns/postpone.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { retryTurn } from '#core/checkpoint/turns/retry.ts';
import { saveResults } from '#core/checkpoint/turns/save-results.ts';
import { saveRound } from '#core/checkpoint/turns/save-round.ts';
import { newId } from '#core/id.ts';
import type { Reply } from '#core/turn/reply.ts';
import { errorResult } from '#core/turn/tool-result.ts';
import type { Turn } from '#core/turn/turn.ts';
import { msAgo } from '#test/harness/moments.ts';
import { plainConfig } from '#test/harness/plain-config.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';

let connection: Connection;

beforeEach(async () => {
  connection = connect(await createTestDatabase());
});

afterEach(() => connection.close());

test('each lease of a step has its own draft number, from 0', async () => {
  const id = await startTurn();

  const first = await beginTurn(connection.db, id, 'one');
  await loseLease(id);
  const second = await take(id, 'two');
  await loseLease(id);
  const third = await take(id, 'three');

  expect([first?.work.draft, second, third]).toEqual([0, 1, 2]);
});

test('a heartbeat that takes the lease uses one draft number, even if repeated', async () => {
  const id = await startRound(2);

  const beats = [await beat(id, 'lazy', true), await beat(id, 'lazy', true), await beat(id, 'lazy', false)];
  const other = await beat(id, 'late', true);
  await loseLease(id);

  expect(beats).toEqual([{ draft: 0 }, { draft: 0 }, { draft: 0 }]);
  expect([other, await take(id, 'next')]).toEqual([undefined, 1]);
});

test.for([
  { counts: true, starts: 1, what: 'by a heartbeat counts as a start' },
  { counts: false, starts: 0, what: 'early, only to publish a piece, does not count as a start' },
])('a lease that is taken $what', async ({ counts, starts }) => {
  const id = await startRound(2);

  await beat(id, 'lazy', true, counts);
  await beat(id, 'lazy', true, counts);

  expect((await load(id)).work.starts).toBe(starts);
});

test.for([
  { published: false, next: 0, what: 'before its first piece returns its draft number' },
  { published: true, next: 1, what: 'after a piece keeps its draft number' },
])('a postponed round $what', async ({ published, next }) => {
  const id = await startTurn();
  await beginTurn(connection.db, id, 'one');

  await postpone(id, { runId: 'one', generation: 0, draft: 0, published });

  expect(await take(id, 'two')).toBe(next);
});

test('a round that is postponed without a lease uses no draft number', async () => {
  const id = await startRound(2);

  await postpone(id, { runId: 'lazy', generation: 0, draft: null, published: false });

  expect(await take(id, 'next')).toBe(0);
});

test('a draft number is not returned after a later lease has the next number', async () => {
  const id = await startRound(2);
  await beat(id, 'one', true);
  await loseLease(id);
  await beat(id, 'two', true);
  await loseLease(id);

  await postpone(id, { runId: 'one', generation: 0, draft: 0, published: false });

  expect(await take(id, 'three')).toBe(2);
});

test.for(['with calls', 'as the answer'])('a reply %s is saved under the draft number of its run', async (kind) => {
  const id = await startTurn();
  await beginTurn(connection.db, id, 'one');
  await loseLease(id);
  await take(id, 'two');

  await (kind === 'with calls' ? save(id, 1, 1) : end(id, 1));

  expect((await load(id)).rounds[0]?.draft).toBe(1);
});

test.for(['with calls', 'as the answer'])(
  'a late reply %s is saved above all published draft numbers',
  async (kind) => {
    const id = await startTurn();
    await beginTurn(connection.db, id, 'one');
    await loseLease(id);
    await take(id, 'two');

    await (kind === 'with calls' ? save(id, 1, 0) : end(id, 0));

    expect((await load(id)).rounds[0]?.draft).toBe(2);
  },
);

test('the next round begins with draft number 0', async () => {
  const id = await startTurn();
  await beginTurn(connection.db, id, 'one');
  await loseLease(id);
  await take(id, 'two');
  await save(id, 1, 1);
  await answer(id, 1);
  await save(id, 2, null);

  const { rounds, work } = await load(id);

  expect([rounds.map(({ draft }) => draft), work.draft]).toEqual([[1, 0], 0]);
});

test.for([
  { where: 'in its round', fail: (id: string) => beginTurn(connection.db, id, 'one'), leased: [2, 4] },
  { where: 'in a batch', fail: (id: string) => beginBatch(id), leased: [1, 3] },
])('a turn that failed $where is retried under an unused draft number', async (given) => {
  const id = await startTurn();
  await given.fail(id);

  const drafts: (number | undefined)[] = [];
  for (const run of ['again', 'once more']) {
    await fail(id);
    await connection.db
      .transaction()
      .execute((trx) => retryTurn(trx, { project: 'default', turnId: id, needsSlot: false }));
    drafts.push(await take(id, run));
  }

  expect(drafts).toEqual(given.leased);
});

async function beginBatch(id: string): Promise<void> {
  await beginTurn(connection.db, id, 'one');
  await save(id, 1, 0);
}

async function startTurn(): Promise<string> {
  const ids = { id: newId('turn'), conversationId: newId('conv') };
  const turn = { ...ids, project: 'default', config: plainConfig, priority: 0, metadata: {} };
  const first = { ...turn, input: [{ role: 'user' as const, content: 'Hi' }] };
  return (await createFirstTurn(connection.db, first, { config: {}, metadata: {} })).id;
}

/** Starts a turn with a due round of this number, which no run has taken. */
async function startRound(number: number): Promise<string> {
  const id = await startTurn();
  await beginTurn(connection.db, id, 'first');
  for (let round = 1; round < number; round += 1) {
    await save(id, round, null);
    await answer(id, round);
  }
  return id;
}

async function load(id: string): Promise<Turn> {
  return (await loadTurn(connection.db, id)) as Turn;
}

async function take(id: string, runId: string): Promise<number | undefined> {
  return (await takeLease(connection.db, await load(id), runId))?.draft;
}

async function beat(id: string, runId: string, isFirst: boolean, counts = true) {
  const { step, generation } = (await load(id)).work;
  return (await renewLeases(connection.db, [{ turnId: id, step, generation, runId, isFirst, counts }])).get(runId);
}

async function loseLease(id: string): Promise<void> {
  await sql`update work set lease_until = now() - interval '1 second' where id = ${id}`.execute(connection.db);
}

type Try = { runId: string; generation: number; draft: number | null; published: boolean };

async function postpone(id: string, tried: Try): Promise<void> {
  const { step } = (await load(id)).work;
  const later = { called: [], delayMs: 0, attempt: true, rateLimited: false, waitedMs: 0, eventData: null };
  await postponeStep(connection.db, { turnId: id, step, ...later, ...tried });
}

const reply: Reply = { text: 'So.', calls: [], finishReason: 'stop', finishReasonRaw: null, usage: null, opaque: null };

function roundOf(number: number, draft: number | null) {
  return { number, model: plainConfig.model, reply, attempts: 1, draft, startedAt: msAgo(0), warnings: [] };
}

async function save(id: string, number: number, draft: number | null): Promise<void> {
  const open = { waitsFor: null, expiresInSeconds: null, effect: 'none' as const };
  const calls = [{ id: `call_${number}`, name: 'look', arguments: '{}', ...open }];
  await saveRound(connection.db, { ...roundOf(number, draft), turnId: id, webhook: null, calls });
}

async function answer(id: string, round: number): Promise<void> {
  const result = errorResult({ category: 'unknown', message: 'No.', details: {} });
  const call = { index: 0, id: `call_${round}`, arguments: '{}' };
  await saveResults(connection.db, { turnId: id, round, results: [{ call, result, fullOutput: null }] });
}

async function end(id: string, draft: number | null): Promise<void> {
  const { conversationId, work } = await load(id);
  const ending = { turnId: id, conversationId, step: work.step, status: 'completed' as const, output: 'So.' };
  await endWithRound(connection.db, { ...ending, lastRound: roundOf(1, draft) });
}

async function fail(id: string): Promise<void> {
  const { conversationId } = await load(id);
  const error = { type: 'internal_error' as const, code: 'internal', message: 'No.', retryable: true };
  const ending = { turnId: id, conversationId, status: 'failed' as const, error };
  await connection.db.transaction().execute((trx) => endTurn(trx, ending));
}
