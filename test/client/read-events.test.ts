import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeSseParser, readEvents } from '#client/events/read-events.ts';
import { takeAll } from './take-all.ts';

const data = ['{"type":"turn.queued"}', '{"delta":"Köln 🌧, 東京 👋🏽"}', '{\n"two":\n"lines"}', '{"last":true}'];

/** Writes the same events in any valid form of the stream. */
function written({ end, space, comments }: { end: string; space: string; comments: boolean }): string {
  const events = data.map((text, index) => {
    const lines = text.split('\n').map((line) => `data:${space}${line}`);
    return [`event:${space}some.type`, `id:${space}${index}`, ...lines, '', ...(comments ? [':', ': beat'] : [])];
  });
  return `\uFEFF${[...events.flat(), ''].join(end)}`;
}

test('a stream yields the same events, in any valid form and with any chunks', async () => {
  const habits = fc.record({
    end: fc.constantFrom('\n', '\r\n', '\r'),
    space: fc.constantFrom('', ' '),
    comments: fc.boolean(),
  });

  await fc.assert(
    fc.asyncProperty(habits, fc.array(fc.nat({ max: 400 }), { maxLength: 40 }), async (habit, cuts) => {
      const bytes = new TextEncoder().encode(written(habit));
      const positions = [...new Set([0, ...cuts, bytes.length])]
        .filter((at) => at <= bytes.length)
        .sort((a, b) => a - b);
      const chunks = positions.slice(1).map((to, index) => bytes.subarray(positions[index], to));

      const events = await takeAll(readEvents(ReadableStream.from(chunks), { onChunk: () => {} }));

      expect(events).toEqual(data.map((text) => JSON.parse(text)));
    }),
    { seed: 20_261_120, numRuns: 300 },
  );
});

test('an incomplete event at the end of the stream is dropped', () => {
  const cut = makeSseParser();

  expect([...cut('data: 1\n\ndata: 2\n'), ...cut('')]).toEqual(['1']);
});

test('a silent connection is ended and released', async () => {
  let wasLeft = false;
  const silent = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(':\n\ndata: 1\n\n')),
    cancel: () => {
      wasLeft = true;
    },
  });

  const events = await takeAll(readEvents(silent, { onChunk: () => {}, silenceMs: 20 }));

  expect(events).toEqual([1]);
  expect(wasLeft).toBe(true);
});

test('a connection that breaks off ends the stream, and its earlier events stay', async () => {
  const chunks = (async function* () {
    yield new TextEncoder().encode('data: 1\n\ndata: ');
    throw new TypeError('terminated');
  })();

  const events = await takeAll(readEvents(ReadableStream.from(chunks), { onChunk: () => {} }));

  expect(events).toEqual([1]);
});
