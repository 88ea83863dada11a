import { expect } from 'vitest';
import { isTerminal, type Turn } from '#core/turn/turn.ts';
import { makeCreatedTurns } from '#services/api/stream/watch/created-turns.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { test } from './test.ts';
import { createWatchHarness } from './watch-harness.ts';

const isOver = ({ status }: Turn) => isTerminal(status);
const forSettled = { timeoutMs: 60_000, untilSettled: true, project: 'default' };
const created = (id: string) => ({ id, project: 'default', status: 'queued' as const });

describeQueue(({ redis }) => {
  test('a wait for a created turn reads it once, after its wake', async () => {
    await using harness = await createWatchHarness({ redis });
    const turn = await harness.startTurn();
    harness.streamHub.addCreated(created(turn.id));
    const before = harness.statements.count();
    const waiting = harness.streamHub.waitFor(turn.id, isOver, forSettled);
    const known = await harness.startTurn();
    const other = harness.streamHub.waitFor(known.id, () => true, { timeoutMs: 60_000 });
    await other;
    const perReading = harness.statements.count() - before;

    await turn.complete('Hello.');

    expect(await waiting).toMatchObject({ status: 'completed', output: 'Hello.' });
    expect(harness.statements.count() - before).toBe(2 * perReading);
  });

  test('a wait for a created turn ends within a heartbeat if all its hints are lost', async () => {
    await using harness = await createWatchHarness({ redis, heartbeatMs: 100 });
    const turn = await harness.startTurn();
    harness.streamHub.addCreated(created(turn.id));
    turn.loseHints();
    await turn.complete();

    const answer = await harness.streamHub.waitFor(turn.id, isOver, forSettled);

    expect(answer?.status).toBe('completed');
  });
});

test('a wait for a created turn reads it at once if the turn has changed before', async ({ harness, turn }) => {
  harness.streamHub.addCreated(created(turn.id));
  const other = harness.streamHub.waitFor(turn.id, isOver, { timeoutMs: 60_000 });
  await turn.complete();
  await other;

  const answer = await harness.streamHub.waitFor(turn.id, isOver, forSettled);

  expect(answer?.status).toBe('completed');
});

test('a second wait for a created turn reads it first, in case its wake was lost', async ({ harness, turn }) => {
  harness.streamHub.addCreated(created(turn.id));
  turn.loseHints();
  const first = await harness.streamHub.waitFor(turn.id, isOver, { ...forSettled, timeoutMs: 1 });
  await turn.complete();

  const second = await harness.streamHub.waitFor(turn.id, isOver, forSettled);

  expect([first?.status, second?.status]).toEqual(['queued', 'completed']);
});

test('a wait of another project for a created turn reads it at once', async ({ harness, turn }) => {
  harness.streamHub.addCreated(created(turn.id));
  turn.loseHints();

  const isOthers = ({ project }: Turn) => project !== 'beta';
  const answer = await harness.streamHub.waitFor(turn.id, isOthers, { ...forSettled, project: 'beta' });

  expect(answer?.id).toBe(turn.id);
});

test('a stream that joins the wait for a created turn reads it at once', async ({ harness, turn }) => {
  harness.streamHub.addCreated(created(turn.id));
  const waiting = harness.streamHub.waitFor(turn.id, isOver, forSettled);

  const stream = await harness.open(turn.id);
  await stream.until((seen) => seen.some(({ type }) => type === 'turn.queued'));
  await turn.complete();

  expect((await waiting)?.status).toBe('completed');
  await stream.over;
  await waitUntil(() => expect(harness.streamHub.count()).toEqual({ turns: 0, streams: 0, waiters: 0 }));
});

test('a wake that arrives before its created turn is remembered', () => {
  const turns = makeCreatedTurns();
  turns.changed({ turnId: 'early' });
  turns.changed({ turnId: 'running', goesOn: true });

  for (const id of ['early', 'running', 'new']) turns.add(created(id));

  expect(['early', 'running', 'new'].filter((id) => turns.has(id, 'default'))).toEqual(['running', 'new']);
});

test('created turns are forgotten above 10,000, oldest first, or if wakes may be lost', () => {
  const turns = makeCreatedTurns();
  for (let index = 0; index <= 10_000; index += 1) turns.add(created(`turn_${index}`));
  const kept = [0, 1, 10_000].filter((index) => turns.has(`turn_${index}`, 'default'));

  turns.clear();

  expect(kept).toEqual([1, 10_000]);
  expect(turns.has('turn_10000', 'default')).toBe(false);
});

test('a created turn older than a heartbeat is read first', () => {
  let now = 1;
  const turns = makeCreatedTurns(() => now);
  turns.add(created('turn_1'));

  const known = [9_999, 10_000, 10_001].map((age) => {
    now = 1 + age;
    return turns.has('turn_1', 'default');
  });

  expect(known).toEqual([true, true, false]);
});

test('a created turn that does not start as queued is read first', () => {
  const turns = makeCreatedTurns();

  turns.add({ ...created('turn_1'), status: 'requires_action' });

  expect(turns.has('turn_1', 'default')).toBe(false);
});
