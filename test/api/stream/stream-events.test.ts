import { expect } from 'vitest';
import { waitUntil } from '#test/harness/wait-until.ts';
import { type Seen, textOf } from './open-stream.ts';
import { test } from './test.ts';
import { createWatchHarness } from './watch-harness.ts';

const typesOf = (seen: Seen[]) => seen.map(({ type }) => type);
const durable = (seen: Seen[]) => seen.filter(({ id }) => id !== null);
const numbersOf = (seen: Seen[]) => durable(seen).map(({ id }) => Number(id));
const has = (type: string) => (seen: Seen[]) => seen.some((event) => event.type === type);

test('a live event waits until the durable events before it are sent', async ({ harness, turn }) => {
  const stream = await harness.open(turn.id);
  await stream.until(has('turn.queued'));
  turn.loseHints();

  await turn.start();
  await turn.requestTools(['call_1']);
  publish(harness, { type: 'tool_call.progress', turn_id: turn.id, round: 1, tool_call_id: 'call_1', value: 1 });
  await stream.until(has('tool_call.progress'));

  expect(typesOf(stream.seen)).toEqual(['turn.queued', 'turn.started', 'round.completed', 'tool_call.progress']);
});

test('late live events of a complete round or an answered call are not sent', async ({ harness, turn }) => {
  await turn.start();
  const stream = await harness.open(turn.id);
  await turn.requestTools(['call_1', 'call_2']);
  await turn.answerTool(1, 0);
  await stream.until(has('tool_call.completed'));

  const address = { turn_id: turn.id, round: 1 };
  publish(harness, { type: 'output_text.delta', ...address, attempt: 1, offset: 0, delta: 'late' });
  publish(harness, { type: 'tool_call.arguments.delta', ...address, attempt: 1, index: 0, delta: 'late' });
  publish(harness, { type: 'tool_call.progress', ...address, tool_call_id: 'call_1', value: 'late' });
  publish(harness, { type: 'tool_call.progress', ...address, tool_call_id: 'call_2', value: 'in time' });
  await stream.until(has('tool_call.progress'));

  const live = stream.seen.filter(({ id }) => id === null);
  expect(live.map(({ type, data }) => [type, data.value])).toEqual([['tool_call.progress', 'in time']]);
});

test('a stream requests a lost chunk again', async ({ harness, turn }) => {
  await turn.start();
  const stream = await harness.open(turn.id);
  const round = await turn.publishRound();
  round.say('One, ');
  await stream.until((seen) => textOf(seen) === 'One, ');

  const address = { turn_id: turn.id, round: 1, attempt: 1 };
  round.say('two, three.');
  publish(harness, { type: 'output_text.delta', ...address, offset: 10, delta: 'three.' });
  await stream.until((seen) => textOf(seen) === 'One, two, three.');
  round.end();
});

test('a reconnect at any number receives each later event once', async ({ harness, turn }) => {
  await turn.start();
  await turn.requestTools(['call_1', 'call_2']);
  await turn.answerTool(1, 1);
  await turn.answerTool(1, 0);
  await turn.complete();
  const { lastEvent } = await turn.load();

  for (let after = 0; after < lastEvent; after += 1) {
    const stream = await harness.open(turn.id, after % 2 ? { after } : { lastEventId: String(after) });
    await stream.over;
    expect(numbersOf(stream.seen)).toEqual(Array.from({ length: lastEvent - after }, (_, index) => after + 1 + index));
  }
});

test('a stream sends a turn with more events than a page', async ({ harness, turn }) => {
  await turn.start();
  for (let time = 0; time < 130; time += 1) await turn.postpone();
  const early = await harness.open(turn.id);
  await early.until((seen) => seen.length === 132);
  turn.loseHints();
  for (let time = 0; time < 130; time += 1) await turn.postpone();
  harness.pubsub.publishToTurn({ kind: 'wake', turnId: turn.id });
  await early.until((seen) => durable(seen).length === 262);

  expect(numbersOf(early.seen)).toEqual(Array.from({ length: 262 }, (_, index) => index + 1));
});

test('a failed turn ends its stream, and a stream after a retry includes the failure', async ({ harness, turn }) => {
  await turn.start();
  const before = await harness.open(turn.id);
  await turn.fail();
  await before.over;

  await turn.retry();
  const after = await harness.open(turn.id);
  await after.until(has('turn.resumed'));
  await turn.complete();
  await after.over;

  expect(typesOf(before.seen)).toEqual(['turn.queued', 'turn.started', 'turn.failed']);
  expect(typesOf(durable(after.seen))).toEqual([
    'turn.queued',
    'turn.started',
    'turn.failed',
    'turn.resumed',
    'round.completed',
    'turn.completed',
  ]);
  expect(after.seen[2]).toMatchObject({
    data: { turn: { status: 'failed', last_event: 3, error: { code: 'internal' } } },
  });
});

test('a heartbeat keeps a silent stream open', async () => {
  await using harness = await createWatchHarness({ heartbeatMs: 50 });
  const turn = await harness.startTurn();
  const stream = await harness.open(turn.id);

  await stream.until((_, comments) => comments.length >= 3);

  expect(stream.comments[0]).toBe(':');
});

test('a watcher that leaves frees its stream and does not cancel the turn', async ({ harness, turn }) => {
  const [leaving, staying] = [await harness.open(turn.id), await harness.open(turn.id)];
  await staying.until(has('turn.queued'));

  leaving.leave();
  await waitUntil(() => expect(harness.streamHub.count()).toEqual({ turns: 1, streams: 1, waiters: 0 }));
  await turn.start();
  await staying.until(has('turn.started'));
  staying.leave();
  await waitUntil(() => expect(harness.streamHub.count()).toEqual({ turns: 0, streams: 0, waiters: 0 }));

  expect((await turn.load()).status).toBe('in_progress');
});

test('a closed hub ends all streams, answers all long polls and refuses new streams', async ({ harness, turn }) => {
  const stream = await harness.open(turn.id);
  await stream.until(has('turn.queued'));
  const waiting = harness.streamHub.waitFor(turn.id, () => false, { timeoutMs: 60_000 });

  await harness.streamHub.close();
  await stream.over;
  const late = await harness.open(turn.id);
  await late.over;

  expect((await waiting)?.id).toBe(turn.id);
  expect(late.seen).toEqual([]);
  expect(harness.streamHub.count()).toEqual({ turns: 0, streams: 0, waiters: 0 });
});

test('a stream ends when its turn is deleted', async () => {
  await using harness = await createWatchHarness({ heartbeatMs: 50 });
  const turn = await harness.startTurn();
  const stream = await harness.open(turn.id);
  await stream.until(has('turn.queued'));

  await harness.db
    .deleteFrom('conversations')
    .where('id', '=', (await turn.load()).conversationId)
    .execute();
  harness.pubsub.publishToTurn({ kind: 'wake', turnId: turn.id });
  await stream.over;

  expect(harness.streamHub.count()).toEqual({ turns: 0, streams: 0, waiters: 0 });
});

test('a short failure of the database delays a stream and does not end it', async ({ harness, turn }) => {
  const stream = await harness.open(turn.id);
  await stream.until(has('turn.queued'));

  await turn.start();
  harness.statements.failNext(3);
  await turn.complete();
  await stream.over;

  expect(numbersOf(stream.seen)).toEqual([1, 2, 3, 4]);
});

type Harness = Awaited<ReturnType<typeof createWatchHarness>>;
type LiveEvent = Extract<Parameters<Harness['pubsub']['publishToTurn']>[0], { kind: 'event' }>['event'];

function publish(harness: Harness, event: LiveEvent): void {
  harness.pubsub.publishToTurn({ kind: 'event', turnId: event.turn_id, event });
}
