import { expect, test } from 'vitest';
import type { UiChunk } from '#core/turn/ui-message/chunk.ts';
import { followMessage } from '#services/api/ui-stream/follow-message.ts';
import { uiStreamRoutes } from '#services/api/ui-stream/ui-stream-routes.ts';
import { playAtRandom } from '../openai/responses/play-at-random.ts';
import { playResponse } from '../openai/responses/play-response.ts';
import { makeRandom, type Random } from '../openai/responses/random-script.ts';
import { openStream } from '../stream/open-stream.ts';
import { openSlowSink } from '../stream/slow-sink.ts';
import { createWatchHarness, type WatchOptions } from '../stream/watch-harness.ts';

async function createUiHarness(options: WatchOptions = {}) {
  const harness = await createWatchHarness({
    ...options,
    addRoutes: (app, context) => void app.route('/', uiStreamRoutes({ ...context, isClosing: () => false })),
  });
  return {
    ...harness,
    stream: async (turnId: string) => {
      const stream = await openStream(`${harness.url}/v1/turns/${turnId}/ui-stream`, {});
      return {
        ...stream,
        chunks: () => stream.seen.flatMap(({ type, data }) => (type === '[DONE]' ? [] : [data as UiChunk])),
      };
    },
    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  };
}

type UiHarness = Awaited<ReturnType<typeof createUiHarness>>;
type Seen = { data: Record<string, unknown> }[];

const deltasOf = (chunks: UiChunk[], id = 't1') =>
  chunks.flatMap((chunk) => ('delta' in chunk && chunk.id === id ? [chunk.delta] : []));
const heard = (text: string) => (seen: Seen) => deltasOf(seen.map(({ data }) => data as UiChunk)).join('') === text;

test('a UI stream sends text live, and a late client gets the text so far in one delta', async () => {
  await using harness = await createUiHarness();
  const turn = await playResponse(harness);
  const first = await harness.stream(turn.id);
  await first.until((seen) => seen.some(({ data }) => data.type === 'start'));
  await turn.start();
  const round = await turn.publishRound();
  round.think('Hm');
  for (const [said, all] of [
    ['Hel', 'Hel'],
    ['lo, ', 'Hello, '],
    ['Ada', 'Hello, Ada'],
  ] as const) {
    round.say(said);
    await first.until(heard(all));
  }
  const late = await harness.stream(turn.id);
  await late.until(heard('Hello, Ada'));
  await turn.complete({ reasoning: 'Hm', text: 'Hello, Ada.' });
  await Promise.all([first.over, late.over]);

  expect(deltasOf(first.chunks())).toEqual(['Hel', 'lo, ', 'Ada', '.']);
  expect(deltasOf(late.chunks())).toEqual(['Hello, Ada', '.']);
  expect(deltasOf(late.chunks(), 'r1')).toEqual(['Hm']);
  expect(late.chunks().at(-1)).toEqual({ type: 'finish', finishReason: 'stop' });
  expect([first, late].map(({ seen }) => seen.at(-1)?.type)).toEqual(['[DONE]', '[DONE]']);
});

test('a UI stream with superseded text ends with an error, and a new stream is whole', async () => {
  await using harness = await createUiHarness();
  const { turn, stream } = await streamFirstRun(harness);
  await turn.beginAgain();
  const second = await turn.publishRound();
  second.say('One, 2');
  await stream.over;
  const again = await harness.stream(turn.id);
  await again.until(heard('One, 2'));
  await turn.complete({ text: 'One, 2.' }, 1);
  await again.over;

  expect(stream.chunks().at(-1)).toMatchObject({
    type: 'error',
    errorText: expect.stringMatching(/^stream_superseded: /),
  });
  expect(stream.seen.at(-1)?.type).not.toBe('[DONE]');
  expect(deltasOf(again.chunks()).join('')).toBe('One, 2.');
});

test('a UI stream opened after its worker was lost carries the new attempt only', async () => {
  await using harness = await createUiHarness();
  const { turn } = await streamFirstRun(harness);
  await turn.loseWorker();
  const again = await harness.stream(turn.id);
  await again.until((seen) => seen.length > 0);
  const second = await turn.publishRound();
  second.say('One, 2');
  await again.until(heard('One, 2'));
  await turn.complete({ text: 'One, 2.' }, 1);
  await again.over;

  expect(deltasOf(again.chunks())).toEqual(['One, 2', '.']);
});

test('a UI stream ends with an error if its process stops', async () => {
  await using harness = await createUiHarness();
  const turn = await playResponse(harness);
  const stream = await harness.stream(turn.id);
  await stream.until((seen) => seen.length === 1);
  await harness.streamHub.close();
  await stream.over;

  expect(stream.chunks().slice(1)).toEqual([{ type: 'error', errorText: expect.stringMatching(/^server_stopping: /) }]);
});

test('a slow client of a UI stream costs no memory, and gets few large deltas', async () => {
  await using harness = await createUiHarness();
  const turn = await playResponse(harness);
  await turn.start();
  const slow = followSlowly(harness, turn.id);
  const quick = await harness.stream(turn.id);
  const round = await turn.publishRound();
  let written = '';
  for (let line = 0; line < 40; line += 1) {
    written += `${'A line that the model writes. '.repeat(30)}\n`;
    round.say(written.slice(-901));
    await quick.until(heard(written));
  }
  const waiting = slow.waiting();
  round.end();
  await turn.complete({ text: written });
  await quick.over;
  const received = await slow.readToEnd();

  expect(waiting).toBeLessThan(8 * 1024);
  expect(deltasOf(received).join('')).toBe(written);
  expect(deltasOf(received).length).toBeLessThan(20);
  expect(harness.streamHub.count()).toEqual({ turns: 0, streams: 0, waiters: 0 });
});

/** Opens a stream for a client that does not read until `readToEnd`. */
function followSlowly({ streamHub }: UiHarness, turnId: string) {
  return openSlowSink<UiChunk>(4 * 1024, (sink) =>
    streamHub.join(turnId, sink, (watch) => followMessage(watch, { lastEvent: 0, current: null, sink })),
  );
}

test('a client of a UI stream that reconnects ends with the stored texts', {
  timeout: 300_000,
}, async () => {
  await using first = await createUiHarness({ heartbeatMs: 40 });
  await using second = await createUiHarness({ heartbeatMs: 40, beside: first });

  for (let seed = 1; seed <= 16; seed += 1) {
    const random = makeRandom(seed);
    const turn = await playResponse(first, { isLost: () => random.chance(0.15) });
    const clients = [1, 2].map((client) => readToEnd([first, second], turn.id, makeRandom(100 * seed + client)));
    await playAtRandom(turn, random);
    const received = await Promise.all(clients);

    const { rounds, output } = await turn.load();
    for (const chunks of received) {
      for (const { number, text, reasoning } of rounds) {
        const stored = text ?? (number === rounds.length ? output : null) ?? '';
        expect(deltasOf(chunks, `t${number}`).join(''), `seed ${seed}`).toBe(stored);
        expect(deltasOf(chunks, `r${number}`).join(''), `seed ${seed}`).toBe(reasoning ?? '');
      }
      expect(chunks.at(-1), `seed ${seed}`).toEqual({ type: 'finish', finishReason: 'stop' });
    }
  }
});

/** Reads as a client that leaves after any number of chunks and reconnects to any process until the end. */
async function readToEnd(harnesses: UiHarness[], id: string, random: Random): Promise<UiChunk[]> {
  for (;;) {
    const stream = await (harnesses[random.upTo(harnesses.length - 1)] as UiHarness).stream(id);
    const patience = random.chance(0.3) ? Number.POSITIVE_INFINITY : 1 + random.upTo(30);
    const isEnough = () => stream.seen.length >= patience || stream.seen.at(-1)?.type === '[DONE]';
    await stream.until(isEnough).catch(() => {});
    stream.leave();
    await stream.over;
    if (stream.seen.at(-1)?.type === '[DONE]') return stream.chunks();
  }
}

/** Streams a turn. Its first run writes two words and ends without an answer. */
async function streamFirstRun(harness: Awaited<ReturnType<typeof createUiHarness>>) {
  const turn = await playResponse(harness);
  await turn.start();
  const stream = await harness.stream(turn.id);
  const first = await turn.publishRound();
  first.say('One, two');
  await stream.until(heard('One, two'));
  first.end();
  return { turn, stream };
}
