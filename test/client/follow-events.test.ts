import fc from 'fast-check';
import { connectPawl } from 'pawl/client';
import { expect } from 'vitest';
import { startApi } from '#services/api/start-api.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { openCuttingProxy } from '../harness/links/cutting-proxy.ts';
import { showNaively } from './show-naively.ts';

const said = ['Ich sehe nach … für Köln 🌧 und Łódź.', 'Grüße aus 東京 👋🏽, und mehr als ein Satz davon.'];

/** A turn of two rounds with a text that takes a second to stream. */
const slow = {
  model: 'openai/test',
  tools: ['weather_lookup'],
  input: scripted({
    rounds: [{ say: said[0]!, tools: [{ name: 'weather_lookup', arguments: { city: 'Köln' } }] }],
    answer: said[1]!,
    pace_ms: 8,
    piece_chars: 2,
  }),
};

test('a client with many disconnects gets events once and in order, and whole texts', async ({
  harness,
  worker: _,
}) => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 5 }), async (cuts) => {
      await using proxy = await openCuttingProxy(harness.url, cuts);
      const turn = await connectPawl({ baseUrl: harness.url }).turns.start(slow);
      const events = connectPawl({ baseUrl: proxy.url }).turns.attach(turn.id).events();

      const { numbers, texts, all } = await showNaively(events);

      expect(numbers).toEqual([1, 2, 3, 4, 5, 6]);
      expect(Object.values(texts)).toEqual(said);
      expect(all.filter(({ type }) => type === 'round.started')).toHaveLength(2);
      expect(all.at(-1)).toMatchObject({ type: 'turn.completed', turn: { id: turn.id, output: said[1] } });
    }),
    { seed: 20_261_120, numRuns: 12 },
  );
});

test('a client that connects after the end gets the same events, with the text', async ({ harness }) => {
  const turn = await connectPawl({ baseUrl: harness.url }).turns.start(slow);
  await harness.workUntilIdle();

  const { numbers, texts, all } = await showNaively(turn.events());
  const rest = await showNaively(turn.events({ after: 5 }));
  const nothing = await showNaively(turn.events({ after: 6 }));

  expect(numbers).toEqual([1, 2, 3, 4, 5, 6]);
  expect(Object.values(texts)).toEqual(said);
  expect(all.map(({ type }) => type).slice(2, 5)).toEqual(['round.started', 'output_text.delta', 'round.completed']);
  expect(rest).toMatchObject({ numbers: [6], texts: { 2: said[1] } });
  expect(nothing.all).toEqual([]);
});

test('a stream continues after a restart of the API', async ({ harness, worker: _ }) => {
  const first = await startApi(harness.parts, harness.settings, harness.log);
  const turn = await connectPawl({ baseUrl: first.url }).turns.start(slow);
  const restart = async () => {
    await first.close(0);
    return startApi(harness.parts, { ...harness.settings, PORT: Number(new URL(first.url).port) }, harness.log);
  };

  let second: ReturnType<typeof restart> | undefined;
  const { numbers, texts } = await showNaively(
    tapped(turn.events(), (event) => {
      if (event.type === 'output_text.delta') second ??= restart();
    }),
  );
  await (await second)?.close(0);

  expect(second).toBeDefined();
  expect(numbers).toEqual([1, 2, 3, 4, 5, 6]);
  expect(Object.values(texts)).toEqual(said);
});

test('a retried turn is streamed from the first failure to its final end', async ({ harness }) => {
  const turn = await startRefused(harness);
  await harness.workUntilIdle();
  expect(await turn.result()).toMatchObject({ status: 'failed' });

  const untilFailure = await showNaively(turn.events());
  await turn.retry();
  await harness.workUntilIdle();
  const whole = await showNaively(turn.events());
  const sinceFailure = await showNaively(turn.events({ after: untilFailure.numbers.length }));

  expect(untilFailure.all.at(-1)?.type).toBe('turn.failed');
  expect(whole.all.filter(({ type }) => type === 'turn.failed')).toHaveLength(2);
  expect(whole.numbers).toEqual([...untilFailure.numbers, ...sinceFailure.numbers]);
  expect(sinceFailure.all.map(({ type }) => type)).toEqual(['turn.resumed', 'turn.failed']);
});

test('an aborted signal ends the stream, and not the turn', async ({ harness }) => {
  const turn = await connectPawl({ baseUrl: harness.url }).turns.start(slow);
  const leaving = new AbortController();

  const watching = showNaively(tapped(turn.events({ signal: leaving.signal }), () => leaving.abort(new Error('Bye.'))));

  await expect(watching).rejects.toThrow('Bye.');
  expect((await turn.get()).status).toBe('queued');
});

test('the stream of an unknown turn fails at once', async ({ harness }) => {
  const watching = showNaively(connectPawl({ baseUrl: harness.url }).turns.attach('turn_none').events());

  await expect(watching).rejects.toMatchObject({ name: 'PawlError', status: 404, code: 'turn_not_found' });
});

test('a stream fails after patienceMs if its server stays unavailable', async () => {
  const nowhere = connectPawl({ baseUrl: 'http://127.0.0.1:9', patienceMs: 300 });

  await expect(showNaively(nowhere.turns.attach('turn_1').events())).rejects.toMatchObject({ code: 'unreachable' });
});

async function startRefused({ url }: Harness) {
  const fault = { kind: 'status', status: 400 } as const;
  const input = scripted({ final: { fault } });
  return connectPawl({ baseUrl: url }).turns.start({ model: 'openai/test', input });
}

async function* tapped<Item>(items: AsyncIterable<Item>, tap: (item: Item) => void): AsyncGenerator<Item> {
  for await (const item of items) {
    tap(item);
    yield item;
  }
}
