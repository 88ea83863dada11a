import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { Rate } from '#core/bounds/rate.ts';
import { boundAnswer } from '#core/tools/mcp/http/bound-answer.ts';

/** What the SDK is given of a stream that comes in portions, and what counted in the rate of events. */
async function read(stream: string, portion = stream.length) {
  const bytes = Buffer.from(stream);
  async function* portions() {
    for (let at = 0; at < bytes.length; at += portion) yield bytes.subarray(at, at + portion);
  }
  let counted = 0;
  const pace = async (count: number) => {
    counted += count;
  };
  const events: Pick<Rate, 'pace'> = { pace };
  const place = { take: async () => {}, arrived: () => {} };
  const headers = { 'content-type': 'text/event-stream' };
  const answer = new Response(ReadableStream.from(portions()), { headers });
  const bounded = boundAnswer(answer, { refuse: () => {}, place, events });
  return { given: await text(bounded.body!), counted };
}

test.each(['\n', '\r\n'])('of a stream with line ends %j, lines without meaning do not reach the SDK', async (end) => {
  const known = ['event: message', 'id: 7', 'id', 'retry: 100', 'data: {"a":', 'data:"grüß 👋"}', 'data', '', ''];
  const noise = [': ping', 'a', 'dataset: 1', ' data: 1', 'retry: soon', 'retry', ':'];
  const mixed = known.flatMap((line, at) => (at > 0 && line !== '' ? [noise[at % noise.length]!, line] : [line]));

  for (const portion of [1, 2, 3, 7, 1000]) {
    const { given } = await read(`\ufeff${mixed.join(end)}`, portion);

    expect(given.replaceAll('\r\n', '\n')).toBe(known.join('\n'));
  }
});

test('lines count in the rate of events, those without meaning too', async () => {
  const event = 'data: {}\n\n';

  const few = await read(event);
  const many = await read(`${'a\n'.repeat(100_000)}${event}`);

  expect(few.counted).toBeLessThan(2);
  expect(many.given).toBe(event);
  expect(many.counted).toBeGreaterThan(2_000);
});

test('an event of many lines weighs no more than what was sent', async () => {
  const lines = 'data:\n'.repeat(1_000_000);

  const { given } = await read(`${lines}\n`, 65_536);

  expect(given.length).toBe(lines.length + 1);
});
