import { expect } from 'vitest';
import { test } from '#test/harness/test.ts';
import { converse, requestedRoles } from '#test/worker/compaction/converse.ts';

type Page = {
  messages: { content: string }[];
  data: { content: string }[];
  next_cursor: string | null;
  has_more: boolean;
};

/** Returns a text so long that a page has room for one such input only. */
const text = (letter: string) => letter.repeat(700_000);

test('the sent messages of a round are paged by whole turns if they are large', async ({ harness }) => {
  const { id, say } = await converse(harness, { strategy: 'none' });
  const inputs = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(text);
  const turns = [];
  for (const input of inputs) turns.push(await say(input));

  const read = async (path: string) => {
    const pages: Page[] = [];
    for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1)!.next_cursor) {
      const query = cursor === '' ? '' : `${path.includes('?') ? '&' : '?'}cursor=${cursor}`;
      pages.push((await harness.call<Page>('GET', `${path}${query}`)).body);
    }
    return pages;
  };
  const sent = await read(`/v1/turns/${turns.at(-1)!.id}/rounds/1/sent`);
  const listed = await read(`/v1/conversations/${id}/messages?view=sent&format=openai`);

  const asked = harness.modelRequests.at(-1)!;
  expect(sent.flatMap(({ messages }) => messages)).toEqual(asked.body.messages);
  expect(requestedRoles(asked)).toContain('assistant');
  expect(sent.map(({ has_more }) => has_more)).toEqual([true, false]);
  expect(listed.map(({ has_more }) => has_more)).toEqual([true, false]);
  expect(listed.flatMap(({ data }) => data).slice(0, -1)).toEqual(asked.body.messages);
});
