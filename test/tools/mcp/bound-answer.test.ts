import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { Rate } from '#core/bounds/rate.ts';
import { boundAnswer } from '#core/tools/mcp/http/bound-answer.ts';

/** Reads a stream in chunks. Returns the text for the SDK, and the number of counted events. */
async function read(stream: string, slice = stream.length) {
  const bytes = Buffer.from(stream);
  async function* slices() {
    for (let at = 0; at < bytes.length; at += slice) yield bytes.subarray(at, at + slice);
  }
  let counted = 0;
  const pace = async (count: number) => {
    counted += count;
  };
  const events: Pick<Rate, 'pace'> = { pace };
  const slot = { take: async () => {}, arrived: () => {} };
  const headers = { 'content-type': 'text/event-stream' };
  const answer = new Response(ReadableStream.from(slices()), { headers });
  const bounded = boundAnswer(answer, { refuse: () => {}, slot, events });
  return { given: await text(bounded.body!), counted };
}

test.each(['\n', '\r\n'])('the SDK gets no meaningless lines of a stream with line ends %j', async (end) => {
  const known = ['event: message', 'id: 7', 'id', 'retry: 100', 'data: {"a":', 'data:"grüß 👋"}', 'data', '', ''];
  const noise = [': ping', 'a', 'dataset: 1', ' data: 1', 'retry: soon', 'retry', ':'];
  const mixed = known.flatMap((line, at) => (at > 0 && line !== '' ? [noise[at % noise.length]!, line] : [line]));

  for (const slice of [1, 2, 3, 7, 1000]) {
    const { given } = await read(`\ufeff${mixed.join(end)}`, slice);

    expect(given.replaceAll('\r\n', '\n')).toBe(known.join('\n'));
  }
});

test('all lines count toward the event rate, with or without a meaning', async () => {
  const event = 'data: {}\n\n';

  const few = await read(event);
  const many = await read(`${'a\n'.repeat(100_000)}${event}`);

  expect(few.counted).toBeLessThan(2);
  expect(many.given).toBe(event);
  expect(many.counted).toBeGreaterThan(2_000);
});

test('an event of many lines does not grow when it is read', async () => {
  const lines = 'data:\n'.repeat(1_000_000);

  const { given } = await read(`${lines}\n`, 65_536);

  expect(given.length).toBe(lines.length + 1);
});
