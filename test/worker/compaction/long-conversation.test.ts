import { expect } from 'vitest';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { converse, long, summariesAsked } from './converse.ts';

const TURNS = 20;
const WINDOW = 8_000;

test('20 turns with tools fit a window of 8,000 tokens at a constant cost per round', async ({ harness }) => {
  const context = { strategy: 'summarize', max_input_tokens: 6_000 };
  const { say } = await converse(harness, context, { tools: ['weather_lookup'] });
  const input = (turn: number) =>
    scripted({
      rounds: [{ say: long, tools: [{ name: 'weather_lookup', arguments: { city: `City ${turn}` } }] }],
      answer: `${turn}: ${long}`,
      ...{ context_tokens: WINDOW, summary: { say: `They asked for the weather. ${long}` } },
    });

  const used: number[] = [];
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const { status, error, rounds } = await say(input(turn));
    expect({ status, error }).toEqual({ status: 'completed', error: null });
    used.push(...rounds.map(({ usage }) => usage?.input_tokens ?? Number.POSITIVE_INFINITY));
  }

  // No request was refused: each has the usage of its only attempt.
  expect(harness.modelRequests).toHaveLength(used.length + summariesAsked(harness).length);
  expect(Math.max(...used)).toBeLessThan(WINDOW);

  const meanOf = (from: number, to: number) => used.slice(from, to).reduce((sum, each) => sum + each, 0) / (to - from);
  // The windows are 20 rounds apart and their ratio is 1.001. A growth by 0.3 % of the cost per round fails.
  expect(meanOf(30, 40)).toBeLessThan(1.05 * meanOf(10, 20));
  // A summary for every few turns, not for each.
  expect(summariesAsked(harness).length).toBeLessThan(TURNS / 2);
});
