import { expect, test } from 'vitest';
import { liveEvents } from '#core/turn/event.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { makeSearch, started } from '../../turn/hosted/make-hosted.ts';
import { createWatchHarness } from '../stream/watch-harness.ts';
import { problemsAt } from './strictly.ts';

type LiveEvent = Extract<
  Parameters<Awaited<ReturnType<typeof createWatchHarness>>['pubsub']['publishToTurn']>[0],
  { kind: 'event' }
>;

test('every event of a stream matches the OpenAPI document', async () => {
  await using harness = await createWatchHarness();
  const turn = await harness.startTurn();
  await turn.start();
  const opened = await harness.open(turn.id);
  // A worker sends no deltas of arguments until it knows of a watcher.
  await waitUntil(() => expect(harness.catchUps).toContain(turn.id));
  const publish = (event: LiveEvent['event']) =>
    harness.pubsub.publishToTurn({ kind: 'event', turnId: turn.id, event });

  const round = await turn.publishRound();
  for (const say of [round.think, round.say, round.writeArguments]) say('Hm');
  for (const call of [started(makeSearch()), makeSearch()]) round.host(call);
  await opened.until((seen) => seen.some(({ type }) => type === 'tool_call.arguments.delta'));
  round.end();
  await turn.requestTools(['call_1']);
  const address = { turn_id: turn.id, round: 1, tool_call_id: 'call_1' };
  publish({ type: 'tool_call.started', ...address, name: 'weather_lookup', status_text: null });
  publish({ type: 'tool_call.progress', ...address, value: { asked: 1 } });
  await opened.until((seen) => seen.some(({ type }) => type === 'tool_call.progress'));
  await turn.answerTool(1, 0);
  await turn.complete();
  await opened.over;

  const pubsub = opened.seen.filter(({ id }) => id === null);
  expect(new Set(pubsub.map(({ type }) => type))).toEqual(new Set(Object.keys(liveEvents)));
  for (const { type, data } of opened.seen) {
    expect.soft(problemsAt(['components', 'schemas', 'StreamedEvent'], data), type).toEqual([]);
  }
});
