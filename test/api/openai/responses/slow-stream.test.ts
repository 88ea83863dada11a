import { expect, test } from 'vitest';
import type { NumberedEvent } from '#core/turn/responses/piece.ts';
import { presentResponse } from '#core/turn/responses/present.ts';
import { followResponse } from '#services/api/openai/responses/stream/follow-response.ts';
import { joinedOutput } from '../../../turn/responses/make-response.ts';
import { openSlowSink } from '../../stream/slow-sink.ts';
import { playResponse } from './play-response.ts';
import { stateSeals } from './seals.ts';
import { createStreamHarness, type StreamHarness } from './stream-harness.ts';

const LINE = `${'A line that the model writes. '.repeat(30)}\n`;

test('a slow client of a response stream costs no memory, and gets few large deltas', async () => {
  await using harness = await createStreamHarness();
  const response = await playResponse(harness);
  await response.start();
  const slow = followSlowly(harness, response.id);
  const quick = await harness.stream(response.id);
  const round = await response.publishRound();
  let written = '';
  for (let line = 0; line < 60; line += 1) {
    round.say(LINE);
    written += LINE;
    await quick.until(() => textOf(quick.events()).length === written.length);
  }
  const waiting = slow.waiting();
  round.end();
  await response.complete({ text: written });
  await quick.over;
  const received = await slow.readToEnd();

  const deltas = (events: NumberedEvent[]) => events.filter(({ type }) => type === 'response.output_text.delta').length;
  expect(waiting).toBeLessThan(ROOM_BYTES + 2 * LINE.length);
  expect(deltas(quick.events())).toBeGreaterThanOrEqual(60);
  expect(deltas(received)).toBeLessThan(25);
  expect(joinedOutput(received)).toEqual(presentResponse(await response.load()).output);
  expect(harness.streamHub.count()).toEqual({ turns: 0, streams: 0, waiters: 0 });
});

const ROOM_BYTES = 16 * 1024;

function textOf(events: NumberedEvent[]): string {
  return events.map(({ type, delta }) => (type === 'response.output_text.delta' ? delta : '')).join('');
}

/** Opens a stream for a client that does not read until `readToEnd`. */
function followSlowly({ streamHub }: StreamHarness, turnId: string) {
  return openSlowSink<NumberedEvent>(ROOM_BYTES, (sink) =>
    streamHub.join(turnId, sink, (watch, parts) =>
      followResponse(watch, parts, { after: -1, current: null, sink, stateSeals }),
    ),
  );
}
