import { expect } from 'vitest';
import { SUMMARY_INSTRUCTIONS, summaryPrompt } from '#core/turn/compaction/summary-prompt.ts';
import { getWeather, script, test } from './ask-simulator.ts';

const asked = (content: string) => ({
  messages: [
    { role: 'system' as const, content: SUMMARY_INSTRUCTIONS },
    { role: 'user' as const, content: summaryPrompt([{ role: 'user', content }], null) },
  ],
});

test('a summary request gets the number of words, or the scripted summary', async ({ model }) => {
  const say = async (content: string) => (await model.complete(asked(content))).choices[0]?.message.content;

  expect(await say('Hello there.')).toMatch(/^The user and the assistant spoke \d+ words\.$/);
  expect(await say('{"sim":{"answer":"Hi.","summary":{"say":"They met."}}}')).toBe('They met.');
  expect(await say('{"sim":{"summary":{"say":"{{conversation}}"}}}')).toContain('<conversation>');
});

test('the request id selects the round if the messages begin with a summary', async ({ model }) => {
  const input = script({ rounds: [{ say: 'one' }, { say: 'two' }], answer: 'Done.' }).messages ?? [];
  const summary = { role: 'user' as const, content: 'Summary of the conversation so far.' };
  const headers = { 'x-client-request-id': 'turn_1.2.0' };

  const behind = await model.complete({ messages: [summary, ...input], tools: [getWeather] }, { headers });
  const plain = await model.complete({ messages: input, tools: [getWeather] }, { headers });

  expect([behind, plain].map(({ choices }) => choices[0]?.message.content)).toEqual(['two', 'one']);
});

test('a request longer than the context of the script is refused', async ({ model }) => {
  const refused = model.complete(script({ context_tokens: 10 }));

  await expect(refused).rejects.toMatchObject({ status: 400, code: 'context_length_exceeded' });
  const completion = await model.complete(script({ context_tokens: 1_000, answer: 'Hi.' }));
  expect(completion.choices[0]?.message.content).toBe('Hi.');
});
