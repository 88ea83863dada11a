import { expect, test } from 'vitest';
import { describeQueue } from '#test/harness/queues.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { type Seen, textOf } from './open-stream.ts';
import { createWatchHarness } from './watch-harness.ts';

const typesOf = (seen: Seen[]) => seen.map(({ type }) => type);
const numbersOf = (seen: Seen[]) => seen.filter(({ id }) => id !== null).map(({ id }) => Number(id));
const has = (type: string) => (seen: Seen[]) => seen.some((event) => event.type === type);

describeQueue(({ redis }) => {
  test('a stream opened at the start sends all events in order and ends with the turn', async () => {
    await using harness = await createWatchHarness({ redis });
    const turn = await harness.startTurn();
    const stream = await harness.open(turn.id);
    await stream.until(has('turn.queued'));

    await turn.start();
    const first = await turn.publishRound();
    first.think('Hm.');
    await stream.until(has('reasoning.delta'));
    first.say('Let me see. ');
    first.end();
    await stream.until(has('output_text.delta'));
    await turn.requestTools(['call_1'], 'Let me see. ');
    const call = { turn_id: turn.id, round: 1, tool_call_id: 'call_1' };
    publish(harness, { type: 'tool_call.started', ...call, name: 'weather_lookup', status_text: 'Checking…' });
    await stream.until(has('tool_call.started'));
    publish(harness, { type: 'tool_call.progress', ...call, value: 50 });
    await stream.until(has('tool_call.progress'));
    await turn.answerTool(1, 0);
    const second = await turn.publishRound();
    second.say('Sunny.');
    second.end();
    await stream.until((seen) => textOf(seen) === 'Sunny.');
    await turn.complete('Sunny.');
    await stream.over;

    expect(typesOf(stream.seen)).toEqual([
      'turn.queued',
      'turn.started',
      'round.started',
      'reasoning.delta',
      'output_text.delta',
      'round.completed',
      'tool_call.started',
      'tool_call.progress',
      'tool_call.completed',
      'round.started',
      'output_text.delta',
      'round.completed',
      'turn.completed',
    ]);
    expect(numbersOf(stream.seen)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(harness.streamHub.count()).toEqual({ turns: 0, streams: 0, waiters: 0 });
  });

  test('a stream opened within a round gets the text so far once, as one delta from 0', async () => {
    await using harness = await createWatchHarness({ redis });
    await using elsewhere = await createWatchHarness({ redis, beside: harness });
    const turn = await harness.startTurn();
    await turn.start();
    const early = await harness.open(turn.id);
    await early.until(has('turn.started'));
    const round = await turn.publishRound();
    round.say('One, ');
    await early.until((seen) => textOf(seen) === 'One, ');
    round.say('two, ');
    await early.until((seen) => textOf(seen) === 'One, two, ');

    const inThisProcess = await harness.open(turn.id);
    const inAnother = await elsewhere.open(turn.id, { after: 1 });
    await inThisProcess.until(has('output_text.delta'));
    await inAnother.until(has('output_text.delta'));
    round.say('three.');
    round.end();
    for (const stream of [early, inThisProcess, inAnother]) {
      await stream.until((seen) => textOf(seen) === 'One, two, three.');
    }

    expect(early.seen.filter(({ type }) => type === 'round.started')).toHaveLength(1);
    for (const late of [inThisProcess, inAnother]) {
      const [start, whole, rest] = late.seen.filter(({ id }) => id === null);
      expect(start).toMatchObject({ type: 'round.started', data: { round: 1, attempt: 1 } });
      expect(whole?.data).toMatchObject({ offset: 0, delta: 'One, two, ' });
      expect(rest?.data).toMatchObject({ offset: 10, delta: 'three.' });
    }
  });

  test('two hundred watchers of a turn share one subscription and one read per wakeup', async () => {
    await using harness = await createWatchHarness({ redis });
    const turn = await harness.startTurn();
    const streams = await Promise.all(Array.from({ length: 200 }, () => harness.open(turn.id)));
    await Promise.all(streams.map((stream) => stream.until(has('turn.queued'))));
    const before = harness.statements.count();

    await turn.start();
    await Promise.all(streams.map((stream) => stream.until(has('turn.started'))));
    await turn.requestTools(['call_1']);
    await Promise.all(streams.map((stream) => stream.until(has('round.completed'))));
    const perWakeUp = (harness.statements.count() - before) / 2;
    await turn.answerTool(1, 0);
    await turn.complete();
    await Promise.all(streams.map(({ over }) => over));

    expect(perWakeUp).toBeLessThanOrEqual(3);
    for (const { seen } of streams) expect(numbersOf(seen)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('a retried round restarts its text, and drops late events of the earlier attempt', async () => {
    await using harness = await createWatchHarness({ redis });
    const turn = await harness.startTurn();
    await turn.start();
    const stream = await harness.open(turn.id);
    const broken = await turn.publishRound();
    broken.say('I thi');
    await stream.until((seen) => textOf(seen) === 'I thi');
    await turn.postpone();
    await stream.until(has('step.retrying'));
    broken.say('nk that');
    broken.end();

    const again = await turn.publishRound();
    again.say('I know.');
    again.end();
    await stream.until((seen) => textOf(seen) === 'I know.');
    await turn.complete('I know.');
    await stream.over;

    const starts = stream.seen.filter(({ type }) => type === 'round.started');
    expect(starts.map(({ data }) => data.attempt)).toEqual([1, 2]);
    expect(stream.seen.filter(({ data }) => String(data.delta).includes('nk that'))).toEqual([]);
  });

  test('a stream reaches the end of its turn by heartbeats if all hints are lost', async () => {
    await using harness = await createWatchHarness({ redis, heartbeatMs: 100 });
    const turn = await harness.startTurn();
    const stream = await harness.open(turn.id);
    await stream.until(has('turn.queued'));
    turn.loseHints();

    await turn.start();
    await turn.complete();
    await stream.over;

    expect(typesOf(stream.seen)).toEqual(['turn.queued', 'turn.started', 'round.completed', 'turn.completed']);
  });

  test('a stream requests missed events even if another stream left during its request', async () => {
    await using harness = await createWatchHarness({ redis });
    const turn = await harness.startTurn();
    await turn.start();
    const polling = new AbortController();
    const poll = harness.streamHub.waitFor(turn.id, () => false, { timeoutMs: 60_000, signal: polling.signal });
    const first = await harness.open(turn.id);
    await first.until(has('turn.started'));
    await waitUntil(() => expect(harness.catchUps.length).toBeGreaterThan(0));

    first.leave();
    await waitUntil(() => expect(harness.streamHub.count().streams).toBe(0));
    const requested = harness.catchUps.length;
    const second = await harness.open(turn.id);
    await second.until(has('turn.started'));

    await waitUntil(() => expect(harness.catchUps.length).toBeGreaterThan(requested));
    polling.abort();
    await poll;
  });
});

type Harness = Awaited<ReturnType<typeof createWatchHarness>>;
type LiveEvent = Extract<Parameters<Harness['pubsub']['publishToTurn']>[0], { kind: 'event' }>['event'];

function publish(harness: Harness, event: LiveEvent): void {
  harness.pubsub.publishToTurn({ kind: 'event', turnId: event.turn_id, event });
}
