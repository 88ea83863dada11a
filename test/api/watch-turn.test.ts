import { describe, expect, test } from 'vitest';
import { type Seen, textOf } from './open-stream.ts';
import { createWatchWorld } from './watch-world.ts';
import { wires } from './wires.ts';

const typesOf = (seen: Seen[]) => seen.map(({ type }) => type);
const numbersOf = (seen: Seen[]) => seen.filter(({ id }) => id !== null).map(({ id }) => Number(id));
const has = (type: string) => (seen: Seen[]) => seen.some((event) => event.type === type);

for (const { name, redis, skip } of wires()) {
  describe.skipIf(skip)(`on ${name}`, () => {
    test('who watches from the start sees everything in order and is let go at the end', async () => {
      await using world = await createWatchWorld({ redis });
      const turn = await world.startTurn();
      const stream = await world.open(turn.id);
      await stream.until(has('turn.queued'));

      await turn.start();
      const first = await turn.air();
      first.think('Hm.');
      await stream.until(has('reasoning.delta'));
      first.say('Let me see. ');
      first.end();
      await stream.until(has('output_text.delta'));
      await turn.askForTools(['call_1'], 'Let me see. ');
      const call = { turn_id: turn.id, round: 1, tool_call_id: 'call_1' };
      tell(world, { type: 'tool_call.started', ...call, name: 'weather_lookup', status_text: 'Checking…' });
      await stream.until(has('tool_call.started'));
      tell(world, { type: 'tool_call.progress', ...call, value: 50 });
      await stream.until(has('tool_call.progress'));
      await turn.answerTool(1, 0);
      const second = await turn.air();
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
      expect(world.watch.count()).toEqual({ turns: 0, streams: 0, waiters: 0 });
    });

    test('who comes in the middle gets the text so far as one delta from 0, and nobody else hears it again', async () => {
      await using world = await createWatchWorld({ redis });
      await using elsewhere = await createWatchWorld({ redis, beside: world });
      const turn = await world.startTurn();
      await turn.start();
      const early = await world.open(turn.id);
      await early.until(has('turn.started'));
      const round = await turn.air();
      round.say('One, ');
      await early.until((seen) => textOf(seen) === 'One, ');
      round.say('two, ');
      await early.until((seen) => textOf(seen) === 'One, two, ');

      const inThisProcess = await world.open(turn.id);
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

    test('two hundred watchers of a turn are one subscription and one reading for each wake-up', async () => {
      await using world = await createWatchWorld({ redis });
      const turn = await world.startTurn();
      const streams = await Promise.all(Array.from({ length: 200 }, () => world.open(turn.id)));
      await Promise.all(streams.map((stream) => stream.until(has('turn.queued'))));
      const before = world.statements.count();

      await turn.start();
      await Promise.all(streams.map((stream) => stream.until(has('turn.started'))));
      await turn.askForTools(['call_1']);
      await Promise.all(streams.map((stream) => stream.until(has('round.completed'))));
      const perWakeUp = (world.statements.count() - before) / 2;
      await turn.answerTool(1, 0);
      await turn.complete();
      await Promise.all(streams.map(({ over }) => over));

      expect(perWakeUp).toBeLessThanOrEqual(3);
      for (const { seen } of streams) expect(numbersOf(seen)).toEqual([1, 2, 3, 4, 5, 6]);
    });

    test('a round tried again begins anew, and what comes late from the try before is not shown', async () => {
      await using world = await createWatchWorld({ redis });
      const turn = await world.startTurn();
      await turn.start();
      const stream = await world.open(turn.id);
      const broken = await turn.air();
      broken.say('I thi');
      await stream.until((seen) => textOf(seen) === 'I thi');
      await turn.postpone();
      await stream.until(has('step.retrying'));
      broken.say('nk that');
      broken.end();

      const again = await turn.air();
      again.say('I know.');
      again.end();
      await stream.until((seen) => textOf(seen) === 'I know.');
      await turn.complete('I know.');
      await stream.over;

      const starts = stream.seen.filter(({ type }) => type === 'round.started');
      expect(starts.map(({ data }) => data.attempt)).toEqual([1, 2]);
      expect(stream.seen.filter(({ data }) => String(data.delta).includes('nk that'))).toEqual([]);
    });

    test('every hint may be lost: a turn is told to its end within a heartbeat', async () => {
      await using world = await createWatchWorld({ redis, heartbeatMs: 100 });
      const turn = await world.startTurn();
      const stream = await world.open(turn.id);
      await stream.until(has('turn.queued'));
      turn.loseHints();

      await turn.start();
      await turn.complete();
      await stream.over;

      expect(typesOf(stream.seen)).toEqual(['turn.queued', 'turn.started', 'round.completed', 'turn.completed']);
    });
  });
}

type World = Awaited<ReturnType<typeof createWatchWorld>>;
type Told = Extract<Parameters<World['live']['tellWatchers']>[0], { kind: 'event' }>['event'];

function tell(world: World, event: Told): void {
  world.live.tellWatchers({ kind: 'event', turnId: event.turn_id, event });
}
