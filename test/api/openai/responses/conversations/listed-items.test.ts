import { expect } from 'vitest';
import { test } from '../../test.ts';
import { raised } from '../openai-client.ts';
import { conversationOf, conversing, itemOf, says, wordsOf } from './converse.ts';

test('pages of items continue in both orders, across APIs and the origin of a fork', async ({ harness }) => {
  const { conversations, respond } = conversing(harness);
  const turn = await harness.startTurn({ input: 'Native.' });
  await harness.workUntilIdle();
  const id = turn.conversation_id;
  await conversations.items.create(id, { items: [says('a'), says('b'), says('c')] });
  const first = await respond({ conversation: id, input: 'Stored.' });
  await conversations.items.create(id, { items: [says('behind')] });
  const fork = await respond({ previous_response_id: first.id, input: 'Forked.' });
  const texts = ['Native.', (await harness.findTurn(turn.id)).output, 'a', 'b', 'c', 'Stored.', first.output_text];

  const walked = async (of: string, order: 'asc' | 'desc', limit: number) => {
    const words: string[] = [];
    for await (const item of conversations.items.list(of, { order, limit })) words.push(wordsOf(item));
    return words;
  };

  for (const limit of [1, 2, 3, 100]) {
    expect(await walked(id, 'asc', limit)).toEqual([...texts, 'behind']);
    expect(await walked(id, 'desc', limit)).toEqual([...texts, 'behind'].reverse());
    expect(await walked(await conversationOf(harness, fork), 'asc', limit)).toEqual([
      ...texts,
      'Forked.',
      fork.output_text,
    ]);
  }
  const { data } = await conversations.items.list(id);
  expect(data.map(wordsOf)).toEqual([...texts, 'behind'].reverse());
  const page = await conversations.items.list(id, { limit: 2, include: ['message.output_text.logprobs'] });
  expect(page).toMatchObject({ has_more: true, last_id: page.data[1]!.id });
  expect(await conversations.items.retrieve(data[3]!.id!, { conversation_id: id })).toEqual(data[3]);
});

test('an unknown after of an item list is refused', async ({ harness }) => {
  const { conversations, respond } = conversing(harness);
  const { id } = await conversations.create({ items: [says('a')] });
  const other = await respond({ input: 'Elsewhere.' });

  for (const after of [
    'nonsense',
    other.output[0]!.id!,
    (await itemOf(conversations, id, 'a')).replace('_i0', '_i1'),
  ]) {
    expect(await raised(conversations.items.list(id, { after }))).toMatchObject({ status: 400, param: 'after' });
  }
  for (const query of ['limit=0', 'limit=101', 'order=up']) {
    const { status } = await harness.call('GET', `/openai/v1/conversations/${id}/items?${query}`);
    expect(status).toBe(400);
  }
});
