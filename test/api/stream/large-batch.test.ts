import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { callsOf } from '#core/turn/call.ts';
import { playResponse } from '../openai/responses/play-response.ts';
import { createStreamHarness } from '../openai/responses/stream-harness.ts';
import type { Seen } from './open-stream.ts';
import { createWatchHarness } from './watch-harness.ts';

const RESULTS = 12;
const RESULT = 'x'.repeat(100_000);
const CALLS = Array.from({ length: RESULTS }, (_, index) => `call_${index}`);
const countOf = (type: string) => (seen: Seen[]) => seen.filter((event) => event.type === type).length;

describe('the watchers of a running batch', () => {
  test.each([1, 20])('read each result and the text of the round once: %i streams', async (watchers) => {
    await using harness = await createWatchHarness();
    const turn = await harness.startTurn();
    await turn.start();
    const streams = await Promise.all(Array.from({ length: watchers }, () => harness.open(turn.id)));
    const untilAll = (type: string, count: number) =>
      Promise.all(streams.map((stream) => stream.until((seen) => countOf(type)(seen) >= count)));
    // A stream that lags would read the round itself, and the shared watch would read it again.
    await untilAll('turn.started', 1);
    await turn.requestTools(CALLS, RESULT);
    await untilAll('round.completed', 1);
    const before = harness.statements.bytes();

    for (const index of CALLS.keys()) {
      await turn.answerTool(1, index, RESULT);
      await untilAll('tool_call.completed', index + 1);
    }

    const read = harness.statements.bytes() - before;
    expect(read).toBeGreaterThan(RESULTS * RESULT.length);
    expect(read).toBeLessThan((RESULTS + 1) * RESULT.length);
    for (const stream of streams) stream.leave();
  });

  test('share the order of results, if they are streams of one response', async () => {
    await using harness = await createStreamHarness();
    const turn = await playResponse(harness);
    await turn.start();
    const streams = await Promise.all(Array.from({ length: 10 }, () => harness.stream(turn.id)));
    const isDone = ({ type, item }: { type: string; item?: unknown }) =>
      type === 'response.output_item.done' && (item as { type?: string }).type === 'mcp_call';
    const untilAll = (count: number) =>
      Promise.all(
        streams.map((stream) =>
          stream.until((seen) => seen.filter(({ data }) => isDone(data as { type: string })).length >= count),
        ),
      );
    await turn.commit({ calls: CALLS.map(() => 'get_weather') });
    await Promise.all(streams.map((stream) => stream.until((seen) => countOf('response.output_item.added')(seen) > 0)));
    const before = harness.statements.count();

    for (const index of CALLS.keys()) {
      await turn.answer(1, index);
      await untilAll(index + 1);
    }

    expect((harness.statements.count() - before) / RESULTS).toBeLessThan(6);
    for (const stream of streams) stream.leave();
  });
});

describe('a known turn that is read again', () => {
  test('equals a full read after each result of its batch', async () => {
    await using harness = await createWatchHarness();
    const turn = await harness.startTurn();
    await turn.start();
    await turn.requestTools(['call_a', 'call_b', 'call_c'], 'Let me see.');
    let known = await turn.load();

    for (const index of [1, 0, 2]) {
      await turn.answerTool(1, index, `sunny ${index}`);
      known = (await loadTurn(harness.db, turn.id, known))!;
      expect(known).toEqual(await turn.load());
    }
    await turn.requestTools(['call_d']);

    expect(await loadTurn(harness.db, turn.id, known)).toEqual(await turn.load());
  });

  test('has the calls and results of its rows after a failover loses known results', async () => {
    await using harness = await createWatchHarness();
    const { db } = harness;
    const turn = await harness.startTurn();
    await turn.start();
    await turn.requestTools(['call_a', 'call_b', 'call_c'], 'Let me see.');
    await turn.answerTool(1, 0, 'lost');
    await turn.answerTool(1, 1, 'lost');
    const known = await turn.load();
    const ofTurn = sql`turn_id = ${turn.id}`;
    await sql`update tool_calls set result = null, completed_at = null where ${ofTurn} and index = 0`.execute(db);
    await sql`update tool_calls set completed_at = completed_at + interval '1 s',
      result = '{"status":"success","content":"another"}' where ${ofTurn} and index = 1`.execute(db);
    await sql`update rounds set completed_at = completed_at + interval '1 s', text = 'Another.' where ${ofTurn}`.execute(
      db,
    );
    await sql`update tool_calls set arguments = '{"city":"Rome"}' where ${ofTurn}`.execute(db);

    const again = (await loadTurn(db, turn.id, known))!;

    expect(again).toEqual(await turn.load());
    expect(callsOf(again, 1).map(({ result }) => result?.content)).toEqual([undefined, 'another', undefined]);
    expect(again.rounds[0]?.text).toBe('Another.');
  });
});
