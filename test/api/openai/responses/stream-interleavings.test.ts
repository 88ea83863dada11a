import { expect, test } from 'vitest';
import type { NumberedEvent } from '#core/turn/responses/piece.ts';
import { presentResponse } from '#core/turn/responses/present.ts';
import { joinedOutput } from '../../../turn/responses/make-response.ts';
import { playAtRandom } from './play-at-random.ts';
import { playResponse } from './play-response.ts';
import { makeRandom, type Random } from './random-script.ts';
import { stateSeals } from './seals.ts';
import { createStreamHarness, type StreamHarness } from './stream-harness.ts';

// A random model: any chunks, lost messages, repeated or different new runs, and results in any order. Clients
// reconnect with any number to any process. At the end, each client has received the output exactly once.

const SEEDS = Array.from({ length: 24 }, (_, index) => index + 1);

test('a client that reconnects with its last number receives every event once', {
  timeout: 300_000,
}, async () => {
  await using first = await createStreamHarness({ heartbeatMs: 40 });
  await using second = await createStreamHarness({ heartbeatMs: 40, beside: first });
  const harnesses = [first, second];

  for (const seed of SEEDS) {
    const random = makeRandom(seed);
    const asked = {
      background: seed % 2 === 0,
      handsOutState: seed % 3 > 0,
      isSilent: seed % 5 < 2,
      ...hostedAsked(seed),
    };
    const response = await playResponse(first, { ...asked, isLost: () => random.chance(0.15) });
    const clients = [1, 2, 3].map((client) => readToEnd(harnesses, response.id, makeRandom(100 * seed + client)));
    await playAtRandom(response, random);
    const received = await Promise.all(clients);

    const { output } = presentResponse(stateSeals.sealRounds(await response.load()));
    for (const events of received) {
      const place = `seed ${seed}`;
      expect(joinedOutput(events), place).toEqual(output);
      expect(events.at(-1), place).toMatchObject({ type: 'response.completed', response: { output } });
      expectOnce(events, place);
    }
  }
});

/** Returns the hosted tools of a response, and the outputs that it includes. Some calls have no tool in the request. */
function hostedAsked(seed: number) {
  const hosted = seed % 4 < 3 ? (['web_search', 'code_execution'] as const) : [];
  return { hosted, ...(seed % 3 === 0 && { include: ['code_interpreter_call.outputs'] }) };
}

/** Reads as a client that leaves after any number of events and reconnects with its last number, to any process. */
async function readToEnd(harnesses: StreamHarness[], id: string, random: Random): Promise<NumberedEvent[]> {
  let received: NumberedEvent[] = [];
  for (;;) {
    const harness = harnesses[random.upTo(harnesses.length - 1)] as StreamHarness;
    const stream = await harness.stream(id, received.at(-1)?.sequence_number);
    if (stream.response.status === 400) {
      received = [];
      continue;
    }
    const patience = random.chance(0.2) ? Number.POSITIVE_INFINITY : 1 + random.upTo(6);
    const isEnough = () => stream.seen.length >= patience || isLast(stream.seen.at(-1)?.type);
    await stream.until(isEnough).catch(() => {});
    const seen = stream.events().slice(0, patience);
    stream.leave();
    await stream.over;
    received = [...received, ...seen];
    if (received.at(-1)?.type === 'error') received = [];
    else if (stream.seen.length <= patience && stream.seen.at(-1)?.type === '[DONE]') return received;
  }
}

function isLast(type: string | undefined): boolean {
  return type === 'error' || type === '[DONE]';
}

function expectOnce(events: NumberedEvent[], place: string): void {
  const numbers = events.map(({ sequence_number: number }) => number);
  expect(numbers, place).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  const begun = events.filter(({ type }) => type === 'response.output_item.added');
  expect(
    begun.map(({ output_index: index }) => index),
    place,
  ).toEqual([...begun.keys()]);
  const half = events.filter(({ type, delta }) => type.endsWith('_text.delta') && !String(delta).isWellFormed());
  expect(half, place).toEqual([]);
}
