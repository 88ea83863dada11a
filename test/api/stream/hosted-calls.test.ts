import { expect, test } from 'vitest';
import { type HostedEvent, hostedCallsOf, insertCall } from '#services/api/stream/hosted-calls.ts';
import { addRoundEvent, NOTHING_SENT, type RoundBuffer, unsent } from '#services/api/stream/round-buffer.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { makeCode, makeSearch, started } from '../../turn/hosted/make-hosted.ts';
import type { Seen } from './open-stream.ts';
import { createWatchHarness } from './watch-harness.ts';

const hostedOf = (seen: Seen[]) =>
  seen.flatMap(({ type, data }) => {
    const call = data.hosted_call as { id: string; offset: number } | undefined;
    return call ? [`${type.replace('hosted_call.', '')} ${call.id} at ${call.offset}`] : [];
  });
const heard = (count: number) => (seen: Seen[]) => hostedOf(seen).length >= count;
const both = ['started ws_1 at 0', 'started ci_1 at 6', 'completed ws_1 at 0', 'completed ci_1 at 6'];

describeQueue(({ redis }) => {
  test('each watcher gets the start and the end of a hosted call once, even if late', async () => {
    await using harness = await createWatchHarness({ redis });
    await using elsewhere = await createWatchHarness({ redis, beside: harness });
    const turn = await harness.startTurn();
    await turn.start();
    const early = await harness.open(turn.id);
    await early.until((seen) => seen.some(({ type }) => type === 'turn.started'));
    const round = await turn.publishRound();
    const [search, code] = [makeSearch({ output: 'x'.repeat(70_000) }), makeCode()];
    round.host(started(search));
    await early.until(heard(1));
    round.say('Well, ');
    await early.until((seen) => seen.some(({ type }) => type === 'output_text.delta'));
    round.host(started(code));
    round.host(search);
    await early.until(heard(3));
    const here = await harness.open(turn.id);
    const there = await elsewhere.open(turn.id);
    await Promise.all([here, there].map((stream) => stream.until(heard(3))));
    round.host(code);
    await Promise.all([early, here, there].map((stream) => stream.until(heard(4))));
    round.end();
    await turn.complete('Well, ');
    await Promise.all([early, here, there].map((stream) => stream.over));

    for (const { seen } of [early, here, there]) {
      expect(hostedOf(seen)).toEqual(both);
      const ended = seen.find(({ type }) => type === 'hosted_call.completed')?.data.hosted_call as typeof search;
      expect(ended.output).toHaveLength(redis ? 64 * 1024 : 1_200);
      const fields = Object.keys(seen.find(({ type }) => type.startsWith('hosted_call'))?.data ?? {});
      expect(fields.toSorted()).toEqual(['attempt', 'hosted_call', 'round', 'turn_id', 'type']);
    }
  });
});

const search = makeSearch();
const event = (index: number, hosted_call = search): HostedEvent => ({
  ...{ type: 'hosted_call.started', turn_id: 'turn_1', round: 1, attempt: 1, hosted_call, hosted_index: index },
});

test('events about hosted calls are ordered by index, and repeated events ignored', () => {
  const order = [event(2), event(0, started(search)), event(1), event(0), event(2)];

  const { events, early } = order.reduce(insertCall, { events: [], early: [] });

  expect(events.map(({ hosted_index }) => hosted_index)).toEqual([0, 1, 2]);
  expect(early).toEqual([]);
  expect(hostedCallsOf({ events, early })).toEqual([search]);
});

test('the number of early events about hosted calls is bounded', () => {
  const late = Array.from({ length: 500 }, (_, index) => event(index + 1));

  expect(late.reduce(insertCall, { events: [], early: [] }).early.length).toBeLessThan(100);
});

test('a call with a cut end is open until its round is saved', () => {
  const ended = makeCode({ output: 'x'.repeat(1_200) });
  const about = { turn_id: 'turn_1', round: 1, attempt: 1, hosted_call: ended };
  const end: HostedEvent = { type: 'hosted_call.completed', ...about, hosted_index: 1 };
  const early = [] as HostedEvent[];

  expect(hostedCallsOf({ events: [end], early })).toEqual([ended]);
  expect(hostedCallsOf({ events: [{ ...end, hosted_cut: true }], early })).toMatchObject([{ status: 'in_progress' }]);
});

test('hosted calls keep the order of their starts', () => {
  const [first, second] = [makeSearch({ id: 'a' }), makeSearch({ id: 'b' })];
  const events = [started(first), started(second), second].map((call, index) => event(index, call));

  expect(hostedCallsOf({ events, early: [] })).toEqual([started(first), second]);
});

test('a stream that begins late sends each hosted call at its place in the text', () => {
  const at = { turn_id: 'turn_1', round: 1, attempt: 1 };
  const text = { type: 'output_text.delta', ...at, offset: 0, delta: 'Well, sunny.' } as const;
  const calls = [makeSearch({ offset: 0 }), makeCode({ offset: 6 })].map((call, index) => event(index, call));

  const buffer = [...calls, text].reduce<RoundBuffer | null>(addRoundEvent, null)!;
  const { events, sent } = unsent(buffer, NOTHING_SENT);

  const seen = events.map((one) =>
    'delta' in one ? one.delta : 'hosted_call' in one ? one.hosted_call.type : one.type,
  );
  expect(seen).toEqual(['round.started', 'web_search', 'Well, ', 'code_execution', 'sunny.']);
  expect(unsent(buffer, sent).events).toEqual([]);
});
