import { expect, test } from 'vitest';
import { fitEvent } from '#core/pubsub/fit-event.ts';
import type { LiveEvent } from '#core/turn/event.ts';

const about = { turn_id: 'turn_1', round: 1, attempt: 1, draft: 0 };
const call = { id: 'ws_1', type: 'web_search', status: 'completed', error: null, offset: 0 } as const;
const completed = (input: Record<string, unknown>, output: string): LiveEvent => ({
  ...{ type: 'hosted_call.completed', ...about, hosted_call: { ...call, input, output } },
});
const bytesOf = (event: unknown) => Buffer.byteLength(JSON.stringify(event));

test('a small event is sent as it is', () => {
  const event = completed({ query: 'Lisbon' }, 'Sunny.');

  expect(fitEvent(event)).toEqual([event]);
});

test('a long delta is sent in chunks with their offsets', () => {
  const delta = '"🌤️'.repeat(2_000);
  const chunks = fitEvent({ type: 'output_text.delta', ...about, offset: 5, delta });

  expect(chunks.length).toBeGreaterThan(1);
  expect(chunks.map((each) => 'delta' in each && each.delta).join('')).toBe(delta);
  expect(chunks.every((each) => bytesOf(each) < 7_900)).toBe(true);
});

test('a hosted call loses the end of a large output, and a large input', () => {
  const [long] = fitEvent(completed({ query: 'Lisbon' }, '€'.repeat(64_000)));
  const [both] = fitEvent(completed({ code: '€'.repeat(64_000) }, '\u0001'.repeat(64_000)));

  expect(long).toMatchObject({
    hosted_call: { input: { query: 'Lisbon' }, output: '€'.repeat(1_200) },
    hosted_cut: true,
  });
  expect(both).toMatchObject({ hosted_call: { ...call, input: null }, hosted_cut: true });
  expect([long, both].every((each) => bytesOf(each) < 7_900)).toBe(true);
});

test('a hosted call with a large output and error fits, and with a large id is omitted', () => {
  const failed = (id: string): LiveEvent => {
    const texts = { output: '\u001b'.repeat(9_000), error: '\u001b'.repeat(9_000) };
    const hosted_call = { ...call, id, status: 'failed', input: { code: 'x' }, ...texts } as const;
    return { type: 'hosted_call.completed', ...about, hosted_call };
  };

  expect(fitEvent(failed('ci_1')).map(bytesOf)).toEqual([expect.toSatisfy((bytes: number) => bytes < 7_900)]);
  expect(fitEvent(failed('x'.repeat(9_000)))).toEqual([]);
});

test('a large progress is replaced by a note', () => {
  const about = { turn_id: 'turn_1', round: 1, tool_call_id: 'call_1' };
  const [sent] = fitEvent({ type: 'tool_call.progress', ...about, value: 'x'.repeat(60_000) });

  expect(sent).toMatchObject({ ...about, value: { left_out: expect.any(String) } });
});
