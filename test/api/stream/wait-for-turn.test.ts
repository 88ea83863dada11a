import { expect } from 'vitest';
import { isTerminal, type Turn } from '#core/turn/turn.ts';
import { test } from './test.ts';

const NO_WATCHERS = { turns: 0, streams: 0, waiters: 0 };
const isOver = ({ status }: Turn) => isTerminal(status);

test('a wait is answered when the turn meets its condition', async ({ harness, turn }) => {
  const waiting = harness.streamHub.waitFor(turn.id, isOver, { timeoutMs: 60_000 });

  await turn.start();
  await turn.complete('Hello.');

  expect(await waiting).toMatchObject({ status: 'completed', output: 'Hello.' });
  expect(harness.streamHub.count()).toEqual(NO_WATCHERS);
});

test('a wait is answered at once without a hint if its condition already holds', async ({ harness, turn }) => {
  turn.loseHints();
  const other = harness.streamHub.waitFor(turn.id, isOver, { timeoutMs: 60_000 });
  await turn.start();
  await turn.complete();

  const answer = await harness.streamHub.waitFor(turn.id, ({ lastEvent }) => lastEvent > 3, { timeoutMs: 60_000 });

  expect(answer?.status).toBe('completed');
  expect((await other)?.status).toBe('completed');
});

test('a wait that times out returns the current turn, even without hints', async ({ harness, turn }) => {
  turn.loseHints();
  await turn.start();

  const answer = await harness.streamHub.waitFor(turn.id, isOver, { timeoutMs: 50 });

  expect(answer).toMatchObject({ status: 'in_progress', lastEvent: 2 });
  expect(harness.streamHub.count()).toEqual(NO_WATCHERS);
});

test('a wait ends when its caller disconnects', async ({ harness, turn }) => {
  const caller = new AbortController();
  const waiting = harness.streamHub.waitFor(turn.id, isOver, { timeoutMs: 60_000, signal: caller.signal });

  caller.abort();

  expect(await waiting).toBeUndefined();
  expect(harness.streamHub.count()).toEqual(NO_WATCHERS);
});
