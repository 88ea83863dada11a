import { expect, test } from 'vitest';
import { nextStep } from '#core/turn/next-step.ts';
import { makeRound, makeTurn } from './make-turn.ts';

test('a fresh turn needs its first round', () => {
  expect(nextStep(makeTurn({ status: 'queued' }))).toEqual({ kind: 'run-round', round: 1, final: null });
});

test('a round that asked for tools is followed by the batch of its open calls', () => {
  const turn = makeTurn({ rounds: [makeRound(1, 'Let me look.', [{}, { result: null }])] });

  const step = nextStep(turn);

  expect(step).toMatchObject({ kind: 'run-tool-batch', round: 1, calls: [{ index: 1 }] });
});

test('adopted calls run before the first round, and count toward the limits', () => {
  const adopted = (...results: (null | undefined)[]) =>
    makeRound(
      0,
      null,
      results.map((result) => (result === null ? { result } : {})),
    ).calls;
  const rounds = [makeRound(1, null, [{ result: null }])];

  expect(nextStep(makeTurn({ status: 'queued', adopted: adopted(undefined, null) }))).toMatchObject({
    ...{ kind: 'run-tool-batch', round: 0, calls: [{ round: 0, index: 1 }] },
  });
  const run = { kind: 'run-round', round: 1, final: null };
  expect(nextStep(makeTurn({ adopted: adopted(undefined) }))).toEqual(run);
  const limited = makeTurn({ adopted: adopted(undefined, undefined), limits: { max_tool_calls: 1 } });
  expect(nextStep(limited)).toEqual({ ...run, final: 'max_tool_calls' });
  expect(nextStep({ ...limited, rounds })).toMatchObject({ kind: 'run-tool-batch', round: 1 });
  expect(nextStep(makeTurn({ adopted: adopted(undefined), limits: { max_rounds: 1 } }))).toEqual(run);
});

test('a complete batch is followed by the next round', () => {
  const turn = makeTurn({ rounds: [makeRound(1, null, [{}, {}])] });

  expect(nextStep(turn)).toEqual({ kind: 'run-round', round: 2, final: null });
});

test.for([
  { limit: 'max_rounds', limits: { max_rounds: 1 } },
  { limit: 'max_tool_calls', limits: { max_tool_calls: 1 } },
  { limit: 'max_total_tokens', limits: { max_total_tokens: 10 } },
])('the next round is the last after $limit is reached', ({ limit, limits }) => {
  const usage = {
    input_tokens: 8,
    output_tokens: 4,
    total_tokens: 12,
    cached_input_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
  };
  const turn = makeTurn({ limits, rounds: [{ ...makeRound(1, null, [{}, {}]), usage }] });

  expect(nextStep(turn)).toEqual({ kind: 'run-round', round: 2, final: limit });
});

test.for(['completed', 'incomplete', 'failed', 'cancelled'] as const)('a %s turn needs no step', (status) => {
  expect(nextStep(makeTurn({ status }))).toEqual({ kind: 'nothing' });
});

test('a turn needs no step until it is the head of its conversation', () => {
  expect(nextStep(makeTurn({ status: 'queued', work: { atHead: false } }))).toEqual({ kind: 'nothing' });
});

test('a turn after its deadline must end, even if it waits', () => {
  const turn = makeTurn({ status: 'queued', work: { atHead: false, overdue: true } });

  expect(nextStep(turn)).toEqual({ kind: 'end', because: 'deadline' });
});

test('a step that ten runs did not finish ends the turn', () => {
  expect(nextStep(makeTurn({ work: { starts: 10 } }))).toEqual({ kind: 'end', because: 'poison' });
});
