import { expect, test } from 'vitest';
import { nativeFormat } from '#services/api/stream/format.ts';
import type { StreamHub } from '#services/api/stream/hub.ts';
import { type Seen, textOf } from './open-stream.ts';
import { createWatchHarness } from './watch-harness.ts';

const LINE = `${'A line that the model writes. '.repeat(30)}\n`;

test('a slow client gets its missed text in few deltas, and every durable event', async () => {
  await using harness = await createWatchHarness();
  const turn = await harness.startTurn();
  await turn.start();
  const readUntil = followSlowly(harness.streamHub, turn.id);
  const quick = await harness.open(turn.id);
  await quick.until((seen) => seen.length >= 2);

  const round = await turn.publishRound();
  let written = '';
  for (let line = 0; line < 60; line += 1) {
    round.say(LINE);
    written += LINE;
    await quick.until((seen) => textOf(seen).length === written.length);
  }
  const buffered = await readUntil((seen) => textOf(seen).length === written.length);
  round.end();

  expect(textOf(buffered)).toBe(written);
  const deltas = (seen: Seen[]) => seen.filter(({ type }) => type === 'output_text.delta').length;
  expect(deltas(quick.seen)).toBeGreaterThanOrEqual(60);
  expect(deltas(buffered)).toBeLessThan(25);
  expect(String(buffered.at(-1)?.data.delta).length).toBeGreaterThan(written.length / 2);
});

test('a client that reads only at the end gets durable events without old previews', async () => {
  await using harness = await createWatchHarness();
  const turn = await harness.startTurn();
  await turn.start();
  const readUntil = followSlowly(harness.streamHub, turn.id);
  const quick = await harness.open(turn.id);
  const content = 'x'.repeat(20_000);
  for (let round = 1; round <= 5; round += 1) {
    await turn.requestTools([`call_${round}`]);
    await turn.answerTool(round, 0, content);
  }
  await turn.complete();
  await quick.over;

  const seen = await readUntil(() => false);

  expect(seen.map(({ id }) => Number(id))).toEqual(Array.from({ length: 14 }, (_, index) => index + 1));
  expect(seen.filter(({ type }) => type === 'tool_call.completed')).toHaveLength(5);
  expect(harness.streamHub.count()).toEqual({ turns: 0, streams: 0, waiters: 0 });
});

const ROOM_BYTES = 16 * 1024;

/**
 * Opens a stream for a client that does not read. The returned function reads until the events are enough or the
 * stream ends.
 */
function followSlowly(streamHub: StreamHub, turnId: string) {
  const ready: string[] = [];
  const roomLeft = () => ready.reduce((left, message) => left - message.length, ROOM_BYTES);
  let isOver = false;
  let look = () => {};
  const following = streamHub.follow(turnId, {
    after: 0,
    format: nativeFormat,
    sink: {
      isReady: () => roomLeft() > 0,
      write: (message) => {
        ready.push(Buffer.from(message).toString());
        look();
      },
      end: () => {
        isOver = true;
        look();
      },
    },
  });
  return async (isEnough: (seen: Seen[]) => boolean): Promise<Seen[]> => {
    const seen: Seen[] = [];
    while (!isEnough(seen)) {
      following.advance();
      const message = ready.shift();
      if (message) seen.push(parse(message));
      else if (isOver) break;
      else
        await new Promise<void>((resolve) => {
          look = resolve;
        });
    }
    following.leave();
    return seen;
  };
}

function parse(message: string): Seen {
  const [, type = '', id = null, data = ''] = message.match(/^event: (.*)\n(?:id: (.*)\n)?data: (.*)\n\n$/) ?? [];
  return { type, id: id ?? null, data: JSON.parse(data) };
}
