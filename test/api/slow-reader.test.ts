import { expect, test } from 'vitest';
import type { TurnWatch } from '#services/api/watch/watch-turns.ts';
import { type Seen, textOf } from './open-stream.ts';
import { createWatchWorld } from './watch-world.ts';

const LINE = `${'A line that the model writes. '.repeat(30)}\n`;

test('a reader who does not read is owed one delta, not all of them, and every durable event', async () => {
  await using world = await createWatchWorld();
  const turn = await world.startTurn();
  await turn.start();
  const readUntil = followSlowly(world.watch, turn.id);
  const quick = await world.open(turn.id);
  await quick.until((seen) => seen.length >= 2);

  const round = await turn.air();
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

test('a reader who reads only at the end gets the durable events and nothing that is over', async () => {
  await using world = await createWatchWorld();
  const turn = await world.startTurn();
  await turn.start();
  const readUntil = followSlowly(world.watch, turn.id);
  const quick = await world.open(turn.id);
  const content = 'x'.repeat(20_000);
  for (let round = 1; round <= 5; round += 1) {
    await turn.askForTools([`call_${round}`]);
    await turn.answerTool(round, 0, content);
  }
  await turn.complete();
  await quick.over;

  const seen = await readUntil(() => false);

  expect(seen.map(({ id }) => Number(id))).toEqual(Array.from({ length: 14 }, (_, index) => index + 1));
  expect(seen.filter(({ type }) => type === 'tool_call.completed')).toHaveLength(5);
  expect(world.watch.count()).toEqual({ turns: 0, streams: 0, waiters: 0 });
});

const ROOM_BYTES = 16 * 1024;

/** A stream whose reader takes nothing until told to, and then as fast as can be until it is enough or over. */
function followSlowly(watch: TurnWatch, turnId: string) {
  const ready: string[] = [];
  const roomLeft = () => ready.reduce((left, frame) => left - frame.length, ROOM_BYTES);
  let isOver = false;
  let look = () => {};
  const following = watch.follow(turnId, 0, {
    isReady: () => roomLeft() > 0,
    write: (frame) => {
      ready.push(Buffer.from(frame).toString());
      look();
    },
    end: () => {
      isOver = true;
      look();
    },
  });
  return async (isEnough: (seen: Seen[]) => boolean): Promise<Seen[]> => {
    const seen: Seen[] = [];
    while (!isEnough(seen)) {
      following.advance();
      const frame = ready.shift();
      if (frame) seen.push(parse(frame));
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

function parse(frame: string): Seen {
  const [, type = '', id = null, data = ''] = frame.match(/^event: (.*)\n(?:id: (.*)\n)?data: (.*)\n\n$/) ?? [];
  return { type, id: id ?? null, data: JSON.parse(data) };
}
