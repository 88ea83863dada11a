import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Connection, connect } from '#core/checkpoint/connect.ts';
import { adoptCalls } from '#core/checkpoint/turns/adopt-calls.ts';
import { beginTurn } from '#core/checkpoint/turns/begin.ts';
import { createFirstTurn, createTurn } from '#core/checkpoint/turns/create.ts';
import { takeLease } from '#core/checkpoint/turns/lease.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { saveResults } from '#core/checkpoint/turns/save-results.ts';
import { saveInvalidAnswer, saveRound } from '#core/checkpoint/turns/save-round.ts';
import { newId } from '#core/id.ts';
import { assignCallIds, latestCalls } from '#core/turn/call.ts';
import {
  beforeLease,
  predictAfterAnswer,
  predictAfterBatch,
  predictAfterRound,
  predictLeased,
} from '#core/turn/predict.ts';
import type { ToolResult } from '#core/turn/tool-result.ts';
import type { Turn } from '#core/turn/turn.ts';
import { continuedStep } from '#core/turn/wakeup.ts';
import { isoAgo } from '#test/harness/moments.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';
import { type SomeRound, someRequest, someRound, type TurnRequest } from './arbitrary-turn.ts';
import { expectSame } from './expect-same.ts';
import { remakeTurn } from './remake-turn.ts';

/** `PREDICT_SEED` repeats a failed run. The failure message has its seed. */
const options = {
  numRuns: Number(process.env.PREDICT_RUNS ?? 60),
  ...(process.env.PREDICT_SEED && { seed: Number(process.env.PREDICT_SEED) }),
};

let connection: Connection;

beforeAll(async () => {
  connection = connect(await createTestDatabase());
});

afterAll(() => connection.close());

test('a new turn is loaded as predicted, at the head and after another turn', async () => {
  await fc.assert(
    fc.asyncProperty(someRequest, someRequest, async (first, second) => {
      const head = await createFirst(first);
      await expectAsRead(head);
      const { project, conversationId } = head;
      const next = { ...second, id: newId('turn'), project, conversationId };

      await expectAsRead(await connection.db.transaction().execute((trx) => createTurn(trx, next)));
    }),
    options,
  );
});

test('a turn that has just begun is returned as it was loaded before', async () => {
  await fc.assert(
    fc.asyncProperty(someRequest, async (request) => {
      const { id } = await createFirst(request);
      const before = await load(id);

      expectSame({ ...before, inputsAtStart: 0 }, await begin(id));
    }),
    options,
  );
});

test('a turn is loaded as predicted after each round and each batch, with any past', async () => {
  const seen = { rounds: 0, batches: 0, unpredicted: 0 };

  await fc.assert(
    fc.asyncProperty(someRequest, fc.array(someRound, { minLength: 1, maxLength: 4 }), async (request, rounds) => {
      const { id } = await createFirst(request);
      let turn: Turn | null = await begin(id);
      for (const round of rounds) {
        const afterRound = await workRound(turn, round);
        if (afterRound === null) seen.unpredicted += 1;
        if (afterRound === null) return;
        seen.rounds += 1;
        turn = await workBatch(afterRound, round);
        seen.batches += 1;
      }
    }),
    options,
  );

  console.log(`predicted: ${seen.rounds} rounds, ${seen.batches} batches; not predicted: ${seen.unpredicted} rounds`);
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
});

test('a turn that begins with adopted calls is loaded as predicted after these calls', async () => {
  const { db } = connection;
  await fc.assert(
    fc.asyncProperty(someRequest, someRound, async (request, round) => {
      const asking = await createFirst(request);
      const { id } = await createFirst(request);
      const rows = round.calls.map(({ name, arguments: args, effect }, index) => {
        return { turn_id: asking.id, round: 1, index, id: `call_${index}`, name, arguments: args, effect };
      });
      await sql`insert into tool_calls (turn_id, round, index, id, name, arguments, effect)
        select * from json_to_recordset(${rows}::json)
          as row (turn_id text, round int, index int, id text, name text, arguments text, effect text)`.execute(db);
      const approval = { decision: 'allow' as const, reason: null, by: null, at: isoAgo(0) };
      const calls = rows.map(({ turn_id: turnId, round: number, index, id: callId }) => {
        return { turnId, round: number, index, id: callId, approval };
      });
      const adopt = () => db.transaction().execute((trx) => adoptCalls(trx, { turnId: id, calls }));

      expect(await adopt()).toEqual([...calls.keys()]);
      expect(await adopt()).toEqual([]);
      const queued = await load(id);
      expect(queued.work.step).toBe('b0');
      expect(await takeLease(db, queued, 'run')).not.toBeNull();
      await workBatch(queued, { ...round, beforeBatch: null });
    }),
    options,
  );
});

test('a turn after an answer that breaks its output schema is loaded as predicted', async () => {
  await fc.assert(
    fc.asyncProperty(someRequest, someRound, async (request, round) => {
      const { id } = await createFirst(request);
      const begun = await begin(id);
      const turn = round.beforeRound ? await remakeTurn(connection.db, begun, round.beforeRound) : begun;
      const { reply, attempts, startedAt, warnings } = round;
      const violations = [{ path: '/city', message: 'is required' }];
      const answer = { number: 1, model: turn.config.model, reply, attempts, startedAt, warnings, violations };
      const saved = { ...answer, draft: turn.work.draft };

      const written = await saveInvalidAnswer(connection.db, { ...saved, turnId: id, webhook: turn.config.webhook });
      const again = await saveInvalidAnswer(connection.db, { ...saved, turnId: id, webhook: turn.config.webhook });

      expect(written?.wakeups.filter(({ kind }) => kind === 'turn')).toMatchObject([
        { turnId: id, step: 'r2', generation: 0 },
      ]);
      expect(again).toBeNull();
      await expectAsRead(predictAfterAnswer(turn, saved));
    }),
    options,
  );
});

/** Commits a round. Returns the turn for the next step, or null if it is not predicted. */
async function workRound(known: Turn, round: SomeRound): Promise<Turn | null> {
  const turn = round.beforeRound ? await remakeTurn(connection.db, known, round.beforeRound) : known;
  const named = round.calls.map(({ name, arguments: args }) => ({ id: '', name, arguments: args }));
  const ids = assignCallIds(named, turn);
  const calls = ids.map((call, index) => {
    const { effect, waitsFor } = round.calls[index]!;
    return { ...call, effect, waitsFor, expiresInSeconds: null };
  });
  const { reply, attempts, startedAt, warnings } = round;
  const { model } = turn.config;
  const saved = {
    number: turn.rounds.length + 1,
    model,
    reply,
    attempts,
    draft: turn.work.draft,
    startedAt,
    warnings,
    calls,
  };

  const nextRun = round.nextRuns.batch;
  const written = { ...saved, turnId: turn.id, webhook: turn.config.webhook, nextRun };
  const committed = await saveRound(connection.db, written);

  const predicted = predictAfterRound(turn, saved);
  expect(predicted === null).toBe(calls.some(({ waitsFor }) => waitsFor !== null));
  expect(predicted && continuedStep(committed!.wakeups)?.nextRun).toBe(predicted && (nextRun ?? undefined));
  return predicted && goOn(predicted, round, nextRun);
}

/** Answers a batch in one or two statements. Only the last statement completes the batch. */
async function workBatch(known: Turn, round: SomeRound): Promise<Turn> {
  const turn = round.beforeBatch ? await remakeTurn(connection.db, known, round.beforeBatch) : known;
  const results = new Map<number, ToolResult>();
  const [early, late] = [true, false].map((isEarly) =>
    [...round.calls.keys()].filter((index) => isEarly === round.calls[index]!.isEarly),
  );
  const nextRun = round.nextRuns.round;
  for (const indexes of [early!, late!].filter(({ length }) => length > 0)) {
    expect(predictAfterBatch(turn, results)).toBeNull();
    const calls = latestCalls(turn);
    const resultOf = (index: number) => ({ call: calls[index]!, result: round.calls[index]!.result, fullOutput: null });
    const answers = indexes.map(resultOf);
    const saved = { turnId: turn.id, round: turn.rounds.length, results: answers, nextRun };
    const answered = await saveResults(connection.db, saved);
    expect(answered.written.toSorted()).toEqual(indexes);
    for (const { call, result } of answers) results.set(call.index, result);
  }
  return goOn(predictAfterBatch(turn, results)!, round, nextRun);
}

/** Returns the turn as a continuing run knows it: from before the commit gave that run the lease. */
async function goOn(free: Turn, { goesOn }: SomeRound, nextRun: string | null): Promise<Turn> {
  const predicted = nextRun ? predictLeased(free, nextRun) : free;
  const read = await expectAsRead(predicted);
  const turn = goesOn === 'as read' ? read : predicted;
  return nextRun ? { ...turn, work: beforeLease(turn.work) } : turn;
}

function createFirst(request: TurnRequest): Promise<Turn> {
  const turn = { ...request, id: newId('turn'), conversationId: newId('conv') };
  return createFirstTurn(connection.db, turn, { config: { model: request.config.model }, metadata: {} });
}

async function begin(id: string): Promise<Turn> {
  return (await beginTurn(connection.db, id, newId('wrk')))!;
}

async function load(id: string): Promise<Turn> {
  return (await loadTurn(connection.db, id))!;
}

async function expectAsRead(predicted: Turn): Promise<Turn> {
  const read = await load(predicted.id);
  const refreshed = await loadTurn(connection.db, predicted.id, predicted);
  expectSame(read, predicted);
  expectSame(refreshed!, predicted);
  return read;
}
