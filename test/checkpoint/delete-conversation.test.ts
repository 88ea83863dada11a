import { expect, test } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';

const TABLES = ['turns', 'rounds', 'tool_calls', 'events', 'deliveries'] as const;

test('a conversation that is deleted takes all rows of its turns along, and none of another', async () => {
  await using harness = await createHarness();
  await using receiver = await openExternalServer();
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
