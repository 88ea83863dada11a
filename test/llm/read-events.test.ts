import { expect, test } from 'vitest';
import { readEvents } from '#core/llm/read-events.ts';

async function eventsOf(text: string, portion = text.length): Promise<string[]> {
  const bytes = Buffer.from(text);
  async function* portions() {
    for (let at = 0; at < bytes.length; at += portion) yield bytes.subarray(at, at + portion);
  }
  const events: string[] = [];
  for await (const together of readEvents(portions())) events.push(...together.map(({ data }) => data));
  return events;
}

test.each(['\n', '\r\n'])('events with line ends %j are read alike, in any portions', async (end) => {
  const lines = [': ping', 'event: message', 'data: {"a":', 'data:"grüß 👋"}', 'id: 1', '', '', 'data: {}', '', ''];

  for (const portion of [1, 2, 3, 5, 1000]) {
    expect(await eventsOf(lines.join(end), portion)).toEqual(['{"a":\n"grüß 👋"}', '{}']);
  }
});

test('a last event without its blank line counts if it is whole', async () => {
  expect(await eventsOf('data: {"a":1}')).toEqual(['{"a":1}']);
  expect(await eventsOf('data: {"a":1}\n\ndata: {"b":')).toEqual(['{"a":1}']);
  expect(await eventsOf('<html>no events</html>')).toEqual([]);
});
