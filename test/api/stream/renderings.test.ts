import { expect, test } from 'vitest';
import { followResponse } from '#services/api/openai/responses/stream/follow-response.ts';
import { nativeFormat } from '#services/api/stream/format.ts';
import type { EventStream, Sink } from '#services/api/stream/joined-stream.ts';
import { shareRenderings } from '#services/api/stream/shared/renderings.ts';
import { makeSharedReads } from '#services/api/stream/shared/shared-reads.ts';
import { followMessage } from '#services/api/ui-stream/follow-message.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { playResponse } from '../openai/responses/play-response.ts';
import { stateSeals } from '../openai/responses/seals.ts';
import { createWatchHarness } from './watch-harness.ts';

test('a rendering is shared by equal messages under one key only', () => {
  const { bytesOf } = shareRenderings();
  let made = 0;
  const render = (message: object) =>
    bytesOf('a key', message, () => {
      made += 1;
      return JSON.stringify(message);
    });

  const kept = [{ text: 'one' }, { text: 'one' }, { text: 'two' }, { text: 'two', more: 1 }].map(render);

  expect(kept[0]).toBe(kept[1]);
  expect(kept.map(String)).toEqual(['{"text":"one"}', '{"text":"one"}', '{"text":"two"}', '{"text":"two","more":1}']);
  expect(made).toBe(3);
});

test('waiting streams of one turn share one rendering of each event in every format', async () => {
  await using harness = await createWatchHarness();
  const turn = await playResponse(harness);
  await turn.start();
  await turn.commit({ text: 'Let me look. '.repeat(30_000), calls: ['look', 'look'] });
  await turn.answer(1, 0);
  await turn.answer(1, 1);
  await turn.complete({ text: 'Sunny. '.repeat(50_000) });
  const { streamHub } = harness;
  const start = { after: -1, current: null, stateSeals };
  const kinds: ((sink: Sink) => EventStream)[] = [
    (sink) => streamHub.follow(turn.id, { after: 0, format: nativeFormat, sink }),
    (sink) => streamHub.join(turn.id, sink, (watch, parts) => followResponse(watch, parts, { ...start, sink })),
    (sink) => streamHub.join(turn.id, sink, (watch) => followMessage(watch, { lastEvent: 0, current: null, sink })),
  ];

  for (const open of kinds) {
    const clients = Array.from({ length: 20 }, () => openWaiting(open));
    await waitUntil(() => expect(clients.every((client) => client.isOver())).toBe(true));

    const [first, ...others] = clients.map(({ frames }) => large(frames));
    expect(first!.length).toBeGreaterThan(1);
    for (const frames of others) {
      expect(frames).toHaveLength(first!.length);
      for (const [index, frame] of frames.entries()) expect(frame).toBe(first![index]);
    }
  }
});

test('reads of one key that start during a read share one later read', async () => {
  const readOnce = makeSharedReads();
  const gates = Array.from({ length: 2 }, () => Promise.withResolvers<void>());
  let reads = 0;
  const read = () =>
    readOnce('a turn', async () => {
      const number = reads;
      reads += 1;
      await gates[number]!.promise;
      return number;
    });

  const first = read();
  await waitUntil(() => expect(reads).toBe(1));
  const later = [read(), read(), read()];
  gates[0]!.resolve();
  gates[1]!.resolve();

  expect([await first, ...(await Promise.all(later))]).toEqual([0, 1, 1, 1]);
  expect(reads).toBe(2);
});

/** Opens a client with unlimited room that keeps all frames, as a socket does. */
function openWaiting(open: (sink: Sink) => EventStream) {
  const frames: Uint8Array[] = [];
  let isOver = false;
  open({
    isReady: () => true,
    write: (message) => frames.push(message),
    end: () => {
      isOver = true;
    },
  });
  return { frames, isOver: () => isOver };
}

function large(frames: Uint8Array[]): Uint8Array[] {
  return frames.filter(({ length }) => length > 100_000);
}
