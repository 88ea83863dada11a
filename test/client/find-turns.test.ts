import { connectPawl } from 'pawl/client';
import { expect } from 'vitest';
import { test } from '#test/harness/test.ts';
import { takeAll } from './take-all.ts';

test('the client finds, changes and reads turns and conversations', async ({ harness }) => {
  const pawl = connectPawl({ baseUrl: harness.url });
  const metadata = { customer: '17' };
  const turn = await pawl.turns.start({ model: 'openai/test', input: 'A pumpkin', metadata });
  const other = await pawl.turns.start({ model: 'sim/demo', input: 'A beet' });
  await other.cancel();
  const idsOf = async (found: AsyncIterable<{ id: string }>) => (await takeAll(found)).map(({ id }) => id);

  expect(await idsOf(pawl.turns.list({ metadata, q: 'pumpkin', status: ['queued', 'failed'] }))).toEqual([turn.id]);
  expect(await idsOf(pawl.turns.list({ model: 'sim/demo', status: 'cancelled' }))).toEqual([other.id]);
  expect(await idsOf(pawl.turns.list({ errorCode: 'internal' }))).toEqual([]);
  expect(await idsOf(pawl.turns.list({ createdBefore: '2020-01-01T00:00:00Z' }))).toEqual([]);
  expect(await idsOf(pawl.conversations.list({ q: 'beet', model: 'sim/demo' }))).toEqual([other.conversationId]);

  const changed = await pawl.conversations.update(turn.conversationId, { instructions: 'Be brief.' });
  const next = await pawl.conversations.attach(turn.conversationId).start({ input: 'Hi' });
  const { config } = await pawl.turns.get(next.id, { include: 'config', maxResultBytes: 100 });

  expect(changed).toMatchObject({ id: turn.conversationId, instructions: 'Be brief.' });
  expect(config).toMatchObject({ model: 'openai/test', instructions: 'Be brief.', tools: [] });
});
