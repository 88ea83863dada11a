import type OpenAI from 'openai';
import { expect } from 'vitest';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../../test.ts';
import { raised } from '../openai-client.ts';
import { asking, call, conversing, deleteItem, getTime, itemOf, listTexts, output, says } from './converse.ts';

type Given = OpenAI.Responses.ResponseInputItem;

test('a deleted item of an input, an answer or an addition is not sent to a model', async ({ harness }) => {
  const { conversations, client, respond, lastSent } = conversing(harness);
  const { id } = await conversations.create({ items: [says('Secret.'), says('Added.')] });
  const first = await respond({ conversation: id, input: [says('Said.'), says('Unsaid.')] });
  const second = await respond({ conversation: id, input: 'More.' });

  const deleted = await deleteItem(conversations, id, 'Secret.');
  for (const words of ['Unsaid.', first.output_text]) await deleteItem(conversations, id, words);
  await respond({ conversation: id, input: 'And?' });

  expect(deleted).toMatchObject({ id, object: 'conversation' });
  expect(lastSent().map(({ content }) => content)).toEqual(['Added.', 'Said.', 'More.', second.output_text, 'And?']);
  expect((await listTexts(conversations, id)).slice(0, -2)).toEqual(['Added.', 'Said.', 'More.', second.output_text]);
  const { body } = await harness.call<{ data: { content: string }[] }>('GET', `/v1/conversations/${id}/messages`);
  expect(body.data.map(({ content }) => content).slice(0, -2)).toEqual([
    'Added.',
    'Said.',
    'More.',
    second.output_text,
  ]);
  expect((await client.responses.retrieve(first.id)).output_text).toBe(first.output_text);
  expect((await client.responses.inputItems.list(first.id)).data).toHaveLength(2);
});

test('a deleted item is not found, and cannot be deleted twice', async ({ harness }) => {
  const { conversations, start } = conversing(harness);
  const { id: conversation_id } = await conversations.create({ items: [says('a'), says('b')] });
  const item = await itemOf(conversations, conversation_id, 'a');
  const reference: Given = { type: 'item_reference', id: item };

  await conversations.items.delete(item, { conversation_id });

  const { items } = conversations;
  for (const again of [items.retrieve(item, { conversation_id }), items.delete(item, { conversation_id })].map(
    raised,
  )) {
    expect(await again).toMatchObject({ status: 404, code: 'conversation_item_not_found' });
  }
  for (const conversation of [conversation_id, null]) {
    const refused = await raised(start({ conversation, input: [reference, says('Hi')] }));
    expect(refused).toMatchObject({ status: 400, code: 'item_not_found', param: 'input[0].id' });
  }
});

test('all items can be deleted while they are listed', async ({ harness }) => {
  const { conversations } = conversing(harness);
  const { id } = await conversations.create({ items: [says('a'), says('b'), says('c')] });
  await conversations.items.create(id, { items: [says('d')] });

  for await (const item of conversations.items.list(id, { limit: 1 })) {
    await conversations.items.delete(item.id!, { conversation_id: id });
  }

  expect(await conversations.items.list(id)).toMatchObject({ data: [], has_more: false });
});

test.for(['call call_t', 'output call_t'])(
  'deleting a call or its result deletes both: %s',
  async (half, { harness }) => {
    const { conversations, respond, lastSent } = conversing(harness);
    const { id } = await conversations.create();
    await respond({ conversation: id, input: asking, tools: [getTime] });
    const answered = await respond({ conversation: id, input: [output('call_t')], tools: [getTime] });

    await deleteItem(conversations, id, half);
    await respond({ conversation: id, input: 'And?' });

    expect(lastSent()).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: 'Let me look.' },
      { role: 'assistant', content: answered.output_text },
      { role: 'user', content: 'And?' },
    ]);
    expect(JSON.stringify(lastSent())).not.toContain('tool_call_id');
    expect(await listTexts(conversations, id)).not.toContain(half === 'call call_t' ? 'output call_t' : 'call call_t');
  },
);

test('a call that is deleted before its result requires no result', async ({ harness }) => {
  const { conversations, respond, start } = conversing(harness);
  const { id } = await conversations.create({ items: [call('call_1')] });
  await respond({ conversation: id, input: [output('call_1'), says(asking)], tools: [getTime] });

  await deleteItem(conversations, id, 'call call_t');
  const unasked = await raised(start({ conversation: id, input: [output('call_t')] }));
  const response = await respond({ conversation: id, input: 'And?' });

  expect(unasked).toMatchObject({ status: 400, code: 'tool_output_mismatch', param: 'input[0].call_id' });
  expect(response.status).toBe('completed');
});

test('deleting a call deletes its result, and removes both from a fork', async ({ harness }) => {
  const { conversations, respond, lastSent } = conversing(harness);
  const script = scripted({
    rounds: [{ say: 'Let me look.', tools: [{ name: 'weather_lookup', arguments: { city: 'Rome' }, id: 'call_w' }] }],
    answer: 'Sunny.',
  });
  const turn = await harness.startTurn({ input: script, tools: ['weather_lookup'] });
  await harness.workUntilIdle();
  const id = turn.conversation_id;
  const ended = turn.id.replace('turn_', 'resp_');
  await respond({ conversation: id, input: 'Behind.' });
  const fork = await respond({ previous_response_id: ended, input: 'Forked.' });

  await deleteItem(conversations, id, 'mcp_call');
  await respond({ previous_response_id: fork.id, input: 'And?' });

  expect(lastSent().map(({ role, content }) => (role === 'user' ? 'user' : content))).toEqual([
    ...['user', 'Let me look.', 'Sunny.', 'user', fork.output_text, 'user'],
  ]);
});
