import { expect, test } from 'vitest';
import { readEvents } from '#core/llm/http/read-events.ts';
import { keepBusy } from '#test/harness/keep-busy.ts';

async function eventsOf(text: string, slice = text.length): Promise<string[]> {
  const bytes = Buffer.from(text);
  async function* slices() {
    for (let at = 0; at < bytes.length; at += slice) yield bytes.subarray(at, at + slice);
  }
  const events: string[] = [];
  for await (const together of readEvents(slices())) events.push(...together.map(({ data }) => data));
  return events;
}

test.each(['\n', '\r\n'])('events with line ends %j are read in any chunks', async (end) => {
  const lines = [': ping', 'event: message', 'data: {"a":', 'data:"grüß 👋"}', 'id: 1', '', '', 'data: {}', '', ''];

  for (const slice of [1, 2, 3, 5, 1000]) {
    expect(await eventsOf(lines.join(end), slice)).toEqual(['{"a":\n"grüß 👋"}', '{}']);
  }
});

test('a last event without its blank line counts if it is whole', async () => {
  expect(await eventsOf('data: {"a":1}')).toEqual(['{"a":1}']);
  expect(await eventsOf('data: {"a":1}\n\ndata: {"b":')).toEqual(['{"a":1}']);
  expect(await eventsOf('<html>no events</html>')).toEqual([]);
});

test.each([
  ['data: 1\n', 'more than 8 MiB in one event'],
  ['a', 'more than 8 MiB in one line'],
])('an endless text of %j is refused within its byte bound', async (text, refusal) => {
  const chunk = Buffer.from(text.repeat(Math.floor(65536 / text.length)));
  let taken = 0;
  function* endless() {
    for (; taken < 200; taken += 1) yield chunk;
  }

  const reading = (async () => {
    for await (const _ of readEvents(endless())) throw new Error('an event');
  })();

  await expect(reading).rejects.toThrow(refusal);
  expect(taken).toBeLessThan(140);
});

test('endless events are refused, in small chunks', async () => {
  function* endless() {
    for (;;) yield Buffer.from('data: {}\n\n'.repeat(5_000));
  }
  const slices: number[] = [];

  const reading = (async () => {
    for await (const together of readEvents(endless())) slices.push(together.length);
  })();

  await expect(reading).rejects.toThrow('more than 500,000 events in one answer');
  expect(Math.max(...slices)).toBe(200);
});

test.each(['\n', '\r\n', '\r'])('a large number of unused lines is read quickly (%j)', async (end) => {
  const noise = ['a', ': c', 'retry: x', 'dataset: 1'].join(end).concat(end).repeat(250_000);

  expect(await eventsOf(`${noise}data: {"a":${end}data: 1}${end}${end}`, 65_536)).toEqual(['{"a":\n1}']);
});

test('other work runs after a costly chunk of events', async () => {
  const seen: string[] = [];

  for await (const _ of readEvents([Buffer.from('data: {}\n\n'.repeat(400))])) {
    seen.push('slice');
    keepBusy(25);
    setImmediate(() => seen.push('other work'));
  }

  expect(seen.slice(0, 3)).toEqual(['slice', 'other work', 'slice']);
});
