import { expect, test } from 'vitest';
import { isTerminal, type Turn } from '#core/turn/turn.ts';
import { createWatchWorld } from './watch-world.ts';

const NOBODY = { turns: 0, streams: 0, waiters: 0 };
const isOver = ({ status }: Turn) => isTerminal(status);

test('a wait is answered as soon as the turn is enough', async () => {
  await using world = await createWatchWorld();
  const turn = await world.startTurn();
  const waiting = world.watch.waitFor(turn.id, isOver, { timeoutMs: 60_000 });

  await turn.start();
  await turn.complete('Hello.');

  expect(await waiting).toMatchObject({ status: 'completed', output: 'Hello.' });
  expect(world.watch.count()).toEqual(NOBODY);
});

test('a wait for what is true already is answered at once, without a hint', async () => {
  await using world = await createWatchWorld();
  const turn = await world.startTurn();
  turn.loseHints();
  const other = world.watch.waitFor(turn.id, isOver, { timeoutMs: 60_000 });
  await turn.start();
  await turn.complete();

  const answer = await world.watch.waitFor(turn.id, ({ lastEvent }) => lastEvent > 3, { timeoutMs: 60_000 });

  expect(answer?.status).toBe('completed');
  expect((await other)?.status).toBe('completed');
});

test('a wait that is over answers what is true then, hint or no hint', async () => {
  await using world = await createWatchWorld();
  const turn = await world.startTurn();
  turn.loseHints();
  await turn.start();

  const answer = await world.watch.waitFor(turn.id, isOver, { timeoutMs: 50 });

  expect(answer).toMatchObject({ status: 'in_progress', lastEvent: 2 });
  expect(world.watch.count()).toEqual(NOBODY);
});

test('a caller who goes away is waited for no longer', async () => {
  await using world = await createWatchWorld();
  const turn = await world.startTurn();
  const caller = new AbortController();
  const waiting = world.watch.waitFor(turn.id, isOver, { timeoutMs: 60_000, signal: caller.signal });

  caller.abort();

  expect(await waiting).toBeUndefined();
  expect(world.watch.count()).toEqual(NOBODY);
});
