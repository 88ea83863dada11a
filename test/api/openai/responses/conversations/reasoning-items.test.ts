import { expect, test } from 'vitest';
import { openaiClient } from '../openai-client.ts';
import { again, include, open, result, sentBy, statesOf, talking, user, wires } from '../reasoning-wires.ts';

test('a conversation lists sealed reasoning on request, and forgets deleted reasoning', async () => {
  await using opened = await open();
  const { conversations } = openaiClient(opened.harness, '/openai/v1', 'key-one');
  const { asks, says } = talking(opened, wires[0]!);
  const asked = await asks({ input: [user('Where?')], store: false });
  const { id: conversation } = await conversations.create();
  await says({ input: [user('Where?'), ...again(asked), result], conversation, include: [] });

  const list = async (given: { include?: typeof include }) =>
    (await conversations.items.list(conversation, { order: 'asc', ...given })).data;
  const [plain, shown] = [await list({}), await list({ include })];
  const state = shown.find(({ type }) => type === 'reasoning');
  await conversations.items.delete(state!.id!, { conversation_id: conversation });
  await says({ input: [user('And?')], conversation });

  expect([statesOf(plain), statesOf(shown)]).toEqual([[], [expect.any(String), expect.any(String)]]);
  expect(wires[0]!.signed.map((signed) => sentBy(opened).includes(signed))).toEqual([false, true]);
});
