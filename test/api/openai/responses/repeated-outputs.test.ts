import type OpenAI from 'openai';
import { expect } from 'vitest';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../test.ts';
import { call, conversing, getTime, output, says } from './conversations/converse.ts';
import { raised } from './openai-client.ts';

const rounds = ['call_a', 'call_b'].map((id) => ({ tools: [{ name: 'get_time', arguments: {}, id }] }));
const input = scripted({ rounds, answer: 'It is noon.' });
const tools = [getTime];
const outputItems = (items: OpenAI.Responses.ResponseInputItem[]) =>
  items.filter(({ type }) => type === 'function_call_output');

test('outputs that a conversation already has are accepted, and stored once', async ({ harness }) => {
  const { client, conversations, respond, lastSent } = conversing(harness);
  const { id: conversation } = await conversations.create();
  await respond({ conversation, input, tools });

  await respond({ conversation, input: [output('call_a', 'One')], tools });
  const last = await respond({ conversation, input: [output('call_a', 'One'), output('call_b', 'Two')], tools });
  const more = await respond({ conversation, input: [output('call_b', 'Two'), says('And?')], tools });

  const kept = await client.responses.inputItems.list(last.id);
  expect(outputItems(kept.data as OpenAI.Responses.ResponseInputItem[])).toMatchObject([{ call_id: 'call_b' }]);
  expect(more.status).toBe('completed');
  expect(lastSent().filter(({ role }) => role === 'tool')).toMatchObject([
    { tool_call_id: 'call_a', content: 'One' },
    { tool_call_id: 'call_b', content: 'Two' },
  ]);
});

test('outputs that a chain of responses already has are accepted, and stored once', async ({ harness }) => {
  const { respond, start } = conversing(harness);
  const first = await respond({ input, tools });
  const second = await respond({ previous_response_id: first.id, input: [output('call_a', 'One')], tools });
  const both = [output('call_a', 'One'), output('call_b', 'Two'), output('call_b', 'Two')];

  const third = await respond({ previous_response_id: second.id, input: both, tools });
  const early = await raised(start({ previous_response_id: first.id, input: both, tools }));

  expect(third).toMatchObject({ status: 'completed', output_text: 'It is noon.' });
  expect(early).toMatchObject({ code: 'tool_output_mismatch', param: 'input[1].call_id' });
  expect(early.message).toContain('No tool call found for function call output with call_id call_b');
});

test('a different output for an answered call is refused with its own message', async ({ harness }) => {
  const { conversations, respond, start } = conversing(harness);
  const { id: conversation } = await conversations.create({ items: [call('call_1'), output('call_1', 'One')] });
  await respond({ conversation, input: 'Hi' });

  const refused = await raised(start({ conversation, input: [says('And?'), output('call_1', 'Two')] }));

  expect(refused).toMatchObject({ status: 400, code: 'tool_output_mismatch', param: 'input[1].call_id' });
  expect(refused.message).toContain('The call "call_1" already has a different output.');
});

test('an output that is added to a conversation twice is stored once', async ({ harness }) => {
  const { conversations } = conversing(harness);
  const { id } = await conversations.create({ items: [call('call_1'), output('call_1')] });

  const again = await conversations.items.create(id, { items: [output('call_1'), says('Hi')] });
  const alone = await conversations.items.create(id, { items: [output('call_1')] });

  expect(again.data).toMatchObject([{ type: 'message' }]);
  expect(alone.data).toEqual([]);
  expect((await conversations.items.list(id)).data).toHaveLength(3);
});
