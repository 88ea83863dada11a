import { expect, test } from 'vitest';
import type { Compaction, ContextConfig } from '#core/turn/compaction/compaction.ts';
import { planCompaction } from '#core/turn/compaction/plan-compaction.ts';
import { type HistoryTurn, sentHistory } from '#core/turn/compaction/sent-history.ts';
import { tokensSinceCounted } from '#core/turn/compaction/tokens-of-request.ts';
import { transcriptOf } from '#core/turn/history/transcript.ts';
import type { Round } from '#core/turn/turn.ts';
import { usageOf } from '#test/llm/dialects/scripted-provider.ts';
import { makeRound, makeTurn } from '#test/turn/make-turn.ts';

const context: ContextConfig = { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 2, model: null };

test('a compaction replaces all rounds but the last, across turns', () => {
  const thread = [turn('a', [1]), turn('b', [1, 2]), turn('c', [1, 2])];

  expect(planCompaction(thread, 'refused')).toMatchObject({ round: 3, upToTurn: 'b', upToRound: 2 });
  expect(planCompaction(withContext(thread, { keep_last_rounds: 1 }), 'refused')).toMatchObject({
    upToTurn: 'c',
    upToRound: 1,
  });
  expect(planCompaction(withContext(thread, { keep_last_rounds: 5 }), 'refused')).toBeNull();
});

test('a compaction is not planned twice for a round, nor for replaced rounds', () => {
  const thread = [turn('a', [1]), turn('b', [1, 2]), turn('c', [1, 2])];
  const [a, b, c] = thread as [HistoryTurn, HistoryTurn, HistoryTurn];

  expect(planCompaction([a, b, { ...c, compactions: [made(3, 'a', 1)] }], 'refused')).toBeNull();
  expect(planCompaction([a, b, { ...c, compactions: [made(2, 'b', 2)] }], 'refused')).toBeNull();
  expect(planCompaction([a, b, { ...c, compactions: [made(2, 'b', 1)] }], 'refused')).not.toBeNull();
});

test('the size is the usage of the last round plus all later items', () => {
  const usage = usageOf(900, 50);
  const last = { ...makeRound(1, 'Look.', [{}]), usage };
  const thread = [turn('a', [1]), { ...turn('b', []), rounds: [last] }, turn('c', [])];

  // The tokens of 'ok', of 'Hi', and of a message frame.
  expect(tokensSinceCounted(thread)).toBe(950 + 1 + 5);
  expect(tokensSinceCounted([turn('a', [1]), turn('c', [])])).toBeNull();
  expect(planCompaction(thread, 'size')).toBeNull();
});

test('a compaction of an earlier turn does not change the size of a later turn', () => {
  const usage = usageOf(900, 50);
  const before = { ...turn('b', [1, 2, 3]), compactions: [made(3, 'a', 1)] };
  const thread = [turn('a', [1]), before, { ...turn('c', []), rounds: [{ ...makeRound(1, 'Look.', [{}]), usage }] }];

  expect(tokensSinceCounted(thread)).toBe(950 + 1);
});

test('results of adopted calls count before the first round', () => {
  const [call] = makeRound(1, null, [{}]).calls;
  const usage = usageOf(900, 50);
  const asked = { ...turn('a', []), rounds: [{ ...makeRound(1, 'May I?'), usage }] };
  const adopted = [{ ...call!, round: 0, result: { ...call!.result!, content: 'word '.repeat(400) } }];

  expect(tokensSinceCounted([asked, { ...turn('b', []), adopted }])).toBe(950 + 5 + 500);
});

test('a summary replaces earlier turns with their inputs, but not its own input', () => {
  const thread = [turn('a', [1]), turn('b', [1, 2]), { ...turn('c', [1, 2]), compactions: [made(3, 'c', 1)] }];

  expect(sentTexts(thread)).toEqual([expect.stringContaining('Sum.'), 'c', 'c2']);
});

test('a summary also replaces the input of an earlier turn replaced in part', () => {
  const thread = [turn('a', [1]), turn('b', [1, 2]), { ...turn('c', [1]), compactions: [made(1, 'b', 1)] }];

  expect(sentTexts(thread)).toEqual([expect.stringContaining('Sum.'), 'b2', 'c', 'c1']);
});

test('a summary is not sent after a later deletion, or for turns elsewhere', () => {
  const last = { ...turn('c', [1]), compactions: [made(1, 'a', 1)] };

  const texts = ['a', 'a1', 'b', 'b1', 'c', 'c1'];
  expect(sentTexts([{ ...turn('a', [1]), leftOut: 1 }, turn('b', [1]), last])).toEqual(texts);
  expect(sentTexts([turn('b', [1]), last])).toEqual(['b', 'b1', 'c', 'c1']);
});

test('the latest summary in effect is sent, and later results stay dropped', () => {
  const dropped = { ...made(2, 'b', 1), strategy: 'drop_tool_results' as const, summary: null };
  const long = (name: string): HistoryTurn => {
    const result = { ...makeRound(1, null, [{}]).calls[0]!.result!, content: `${name} `.repeat(20) };
    return { ...turn(name, [1]), rounds: [makeRound(1, `${name}1`, [{ result }])] };
  };
  const thread = [long('a'), long('b'), { ...long('c'), compactions: [made(1, 'a', 1), dropped] }];

  expect(sentTexts(thread)).toEqual([
    ...[expect.stringContaining('Sum.'), 'b', 'b1', '(dropped to make room)'],
    ...['c', 'c1', expect.stringContaining('c c c')],
  ]);
});

test('dropped results stay dropped if a later compaction drops no results', () => {
  const dropped = { ...made(1, 'b', 1), strategy: 'drop_tool_results' as const, summary: null };
  const useless = { ...dropped, round: 2, upToTurn: 'a', afterTokens: dropped.beforeTokens };
  const result = { ...makeRound(1, null, [{}]).calls[0]!.result!, content: 'sunny '.repeat(20) };
  const looked = { ...turn('b', [1]), rounds: [makeRound(1, 'b1', [{ result }])] };

  expect(sentTexts([turn('a', [1]), looked, { ...turn('c', [1]), compactions: [dropped, useless] }])).toContain(
    '(dropped to make room)',
  );
});

function turn(id: string, rounds: number[]): HistoryTurn {
  const own = makeTurn({ id, input: [{ role: 'user', content: rounds.length === 0 ? 'Hi' : id }] });
  const spoken: Round[] = rounds.map((number) => makeRound(number, `${id}${number}`));
  return { ...own, config: { ...own.config, context }, rounds: spoken, leftOut: 0 };
}

function withContext(thread: HistoryTurn[], more: Partial<ContextConfig>): HistoryTurn[] {
  return thread.map((each) => ({ ...each, config: { ...each.config, context: { ...context, ...more } } }));
}

function made(round: number, upToTurn: string, upToRound: number): Compaction {
  return {
    ...{ round, strategy: 'summarize', upToTurn, upToRound, summary: 'Sum.', beforeTokens: 900, afterTokens: 90 },
    ...{ leftOut: 0, model: null, usage: null, requests: 1, createdAt: '2026-11-20T10:00:00.000Z' },
  };
}

function sentTexts(thread: HistoryTurn[]): (string | null)[] {
  return transcriptOf(sentHistory(thread)).map(({ content }) => content);
}
