import { expect, test } from 'vitest';
import { assignCallIds } from '#core/turn/call.ts';
import { outcomeOf } from '#core/turn/outcome.ts';
import type { Reply } from '#core/turn/reply.ts';
import { decideRetry } from '#core/turn/retry.ts';
import { makeRound, makeTurn } from './make-turn.ts';

const calls = [{ id: 'call_1', name: 'x', arguments: '{}' }];
const reply = (own: Partial<Reply>): Reply => ({
  text: 'So far',
  calls: [],
  finishReason: 'stop',
  finishReasonRaw: null,
  usage: null,
  opaque: null,
  ...own,
});

test('a reply without calls is the answer', () => {
  expect(outcomeOf(reply({}), null)).toEqual({ kind: 'completed', output: 'So far' });
});

test('a reply with calls asks for a batch', () => {
  expect(outcomeOf(reply({ calls, finishReason: 'tool_calls' }), null)).toEqual({ kind: 'calls' });
});

test.for([
  { finishReason: 'length', reason: 'max_output_tokens' },
  { finishReason: 'content_filter', reason: 'content_filter' },
  { finishReason: 'refusal', reason: 'content_filter' },
] as const)(
  'a reply that ended by $finishReason is incomplete, and its calls do not run',
  ({ finishReason, reason }) => {
    expect(outcomeOf(reply({ calls, finishReason }), null)).toEqual({ kind: 'incomplete', reason, output: 'So far' });
  },
);

test('the final round of a limit ends the turn even if it has calls', () => {
  const outcome = outcomeOf(reply({ calls, finishReason: 'tool_calls' }), 'max_rounds');

  expect(outcome).toEqual({ kind: 'incomplete', reason: 'max_rounds', output: 'So far' });
});

test('the text of a repeated call is the answer, or the turn is incomplete', () => {
  const withText = outcomeOf(reply({ calls, finishReason: 'tool_calls' }), 'repeated_call');
  const withoutText = outcomeOf(reply({ calls, finishReason: 'tool_calls', text: null }), 'repeated_call');

  expect(withText).toEqual({ kind: 'completed', output: 'So far' });
  expect(withoutText).toEqual({ kind: 'incomplete', reason: 'max_tool_calls', output: '' });
});

test('missing, malformed and repeated call ids are replaced', () => {
  const earlier = [makeRound(1, null, [{ id: 'call_1' }])];
  const calls = ['call_1', '', 'has space', 'fine', 'fine'].map((id) => ({ id, name: 'x', arguments: '{}' }));

  const ids = assignCallIds(calls, makeTurn({ rounds: earlier })).map((call) => call.id);

  expect(new Set([...ids, 'call_1']).size).toBe(6);
  expect(ids[3]).toBe('fine');
  for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
});

test('a call is tried five times with growing, jittered pauses', () => {
  const delays = [0, 1, 2, 3].map((attempts) =>
    decideRetry({ kind: 'later' }, { attempts, waitedMs: 0 }, { random: () => 1 }),
  );

  expect(delays.map((next) => next.kind === 'again' && next.delayMs)).toEqual([1000, 2000, 4000, 8000]);
  expect(decideRetry({ kind: 'later' }, { attempts: 4, waitedMs: 0 })).toEqual({ kind: 'fail' });
});

test.each([
  [1, undefined, 1],
  [7, undefined, 7],
  [1, 2, 1],
  [7, 2, 2],
])('a maximum of %i for a turn and of %s for a failure allows %i attempts', (maxAttempts, most, tries) => {
  const retry = { kind: 'later' as const, ...(most === undefined ? {} : { most }) };
  const kindAfter = (attempts: number) => decideRetry(retry, { attempts, waitedMs: 0 }, { maxAttempts }).kind;

  const again = Array.from({ length: tries - 1 }, () => 'again');
  expect(Array.from({ length: tries }, (_, attempts) => kindAfter(attempts))).toEqual([...again, 'fail']);
});

test('a retry waits at least as long as the provider requests', () => {
  const next = decideRetry({ kind: 'later', afterMs: 7_000 }, { attempts: 0, waitedMs: 0 }, { random: () => 0 });

  expect(next).toEqual({ kind: 'again', delayMs: 7_000, counts: true });
});

test('a rate limit uses no attempt, and lasts ten minutes at most', () => {
  const limited = { kind: 'rate-limited' } as const;

  expect(decideRetry(limited, { attempts: 4, waitedMs: 0 }, { pauseMs: 5_000 })).toEqual({
    kind: 'again',
    delayMs: 5_000,
    counts: false,
  });
  expect(decideRetry(limited, { attempts: 0, waitedMs: 599_000 }, { pauseMs: 5_000 })).toEqual({ kind: 'fail' });
});
