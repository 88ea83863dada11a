import { expect, test } from 'vitest';
import type { ConversationResource } from '#core/turn/resource/conversation.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { enterNow } from '#test/harness/enter-now.ts';
import { scripted } from '#test/harness/scripted.ts';

type List = { data: ConversationResource[] };

async function found({ call }: Harness, query: string): Promise<string[]> {
  const { status, body } = await call<List>('GET', `/v1/conversations?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data.map(({ metadata }) => metadata.name ?? '');
}

const cases: [string, string[]][] = [
  ['model=sim/other', ['two']],
  ['metadata[customer]=17', ['two', 'one']],
  ['metadata[customer]=17&model=openai/test', ['one']],
  ['q=pumpkin', ['one']],
  ['q=beet', ['one']],
  // Both words occur in the conversation, but in different turns.
  ['q=pumpkin%20beet', []],
  ['q=pumpkin&model=sim/other', []],
  ['q=pumpkin&metadata[customer]=17&created_after=2020-01-01T00:00:00Z', ['one']],
  ['created_before=2020-01-01T00:00:00Z', []],
  ['created_after=2020-01-01T00:00:00Z', ['two', 'one']],
];

test.each([false, true])('filters find conversations, whether a worker has indexed them: %s', async (isEntered) => {
  await using harness = await createHarness();
  const create = (body: object) => harness.call<{ id: string }>('POST', '/v1/conversations', { body });
  const one = await create({ model: 'openai/test', metadata: { name: 'one', customer: '17' } });
  const path = `/v1/conversations/${one.body.id}/turns`;
  await harness.call('POST', path, { body: { input: scripted({ answer: 'A pumpkin' }) } });
  await harness.workUntilIdle();
  await harness.call('POST', path, { body: { input: 'Or a beet?' } });
  await create({ model: 'sim/other', metadata: { name: 'two', customer: '17' } });

  if (isEntered) await enterNow(harness);

  for (const [query, names] of cases) expect([query, await found(harness, query)]).toEqual([query, names]);
});
