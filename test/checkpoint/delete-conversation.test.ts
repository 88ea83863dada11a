import { expect } from 'vitest';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';

const TABLES = ['turns', 'rounds', 'tool_calls', 'events', 'deliveries'] as const;

test('a deleted conversation deletes all rows of its turns, and no other rows', async ({ harness, receiver }) => {
  const tools = [{ name: 'locate_user', description: 'Asks the device where the user is' }];
  const turn = {
    input: scripted({ rounds: [{ tools: [{ name: 'locate_user', arguments: {} }] }] }),
    tools,
    webhook: { url: receiver.url },
  };
  const deleted = await harness.startTurn(turn);
  const kept = await harness.startTurn(turn);
  await harness.workUntilIdle();
  await Promise.all([deleted, kept].map(({ id }) => harness.call('POST', `/v1/turns/${id}/cancel`)));
  await harness.workUntilIdle();
  const rows = () => Promise.all(TABLES.map((table) => harness.db.selectFrom(table).selectAll().execute()));
  const before = await rows();

  await harness.call('DELETE', `/v1/conversations/${deleted.conversation_id}`);

  expect(before.map((those) => those.length > 0)).toEqual(TABLES.map(() => true));
  const its = (row: object) => ('turn_id' in row ? row.turn_id : Reflect.get(row, 'id')) === kept.id;
  expect(await rows()).toEqual(before.map((those) => those.filter(its)));
});
