import { expect, test } from 'vitest';
import { finishReply, startReply, takeChunk } from '#core/llm/gemini/reply-accumulator.ts';

const chunk = (content: unknown, finishReason?: unknown) => ({ candidates: [{ content, finishReason }] });
const parts = (...list: unknown[]) => chunk({ parts: list });
const charge = (call: object) => parts({ functionCall: { name: 'charge', ...call } });
const stop = chunk({ parts: [] }, 'STOP');

function parse(...chunks: unknown[]) {
  const reply = startReply({ provider: 'gemini' });
  for (const each of chunks) takeChunk(reply, each);
  const { text, calls } = finishReply(reply);
  return { text, calls: calls.map((call) => call.arguments) };
}

test.each<[string, unknown]>([
  ['an object for candidates', { candidates: {} }],
  ['null among candidates', { candidates: [null] }],
  ['a text for content', chunk('')],
  ['an object for parts', chunk({ parts: {} })],
  ['null among parts', parts(null)],
  ['null for the text of a part', parts({ text: null })],
  ['no reason for a block', { promptFeedback: { blockReason: 'BLOCK_REASON_UNSPECIFIED' }, ...parts() }],
])('a chunk is ignored if it has %s', (_, odd) => {
  expect(parse(parts({ text: 'Hi' }), odd, parts({ text: '.' }), stop)).toEqual({ text: 'Hi.', calls: [] });
});

test.each<[string, unknown, string]>([
  ['a list', [], '{}'],
  ['null as a text', 'null', '{}'],
  ['a list as a text', '[]', '{}'],
  ['an object written twice as a text', JSON.stringify('{"amount":5}'), '{"amount":5}'],
])('arguments are read if they are %s', (_, args, read) => {
  expect(parse(charge({ args }), stop).calls).toEqual([read]);
});

test.each([1, 'SAFETY', 'BLOCKED_REASON_UNSPECIFIED'])('a prompt is refused for the reason %j', (blockReason) => {
  const reply = startReply({ provider: 'gemini' });
  takeChunk(reply, { promptFeedback: { blockReason } });

  expect(finishReply(reply).finishReason).toBe('content_filter');
});

test("arguments are read if they have OpenAI's name", () => {
  expect(parse(charge({ arguments: { amount_due: 5 } }), stop).calls).toEqual(['{"amount_due":5}']);
});

test.each([{}, undefined])('a call is one call if its arguments arrive with its id after %j', (args) => {
  const calls = parse(charge({ id: 'a', args }), charge({ id: 'a', args: { amount: 5 } }), stop).calls;
  expect(calls).toEqual(['{"amount":5}']);
});
