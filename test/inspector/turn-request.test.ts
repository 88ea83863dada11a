import { expect, test } from 'vitest';
import type { ConversationResource } from '#core/turn/resource/conversation.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { nameOf, requestOf } from '#inspector/start/turn-request.ts';
import { createHarness } from '#test/harness/create-harness.ts';

test('the page keeps provider_headers and model_retry when a turn is repeated', async () => {
  const own = { kind: 'openai', base_url: 'http://127.0.0.1:1/v1', allowed_headers: ['x-tag'] };
  await using harness = await createHarness({ env: { PAWL_PROVIDERS: JSON.stringify({ own }) } });
  const again = async (given: object): Promise<unknown> => {
    const turn: TurnResource = await harness.startTurn({ model: 'own/x', input: 'Hi', ...given });
    const { body } = await harness.call<ConversationResource>('GET', `/v1/conversations/${turn.conversation_id}`);
    return requestOf(turn, body);
  };
  const given = { provider_headers: { 'x-tag': 'one' }, model_retry: { max_attempts: 3 } };

  expect(await again(given)).toMatchObject(given);
  expect(await again({})).not.toHaveProperty('provider_headers');
  expect(await again({})).not.toHaveProperty('model_retry');
});

test('the page keeps hosted tools and their options when a turn is repeated', async () => {
  await using harness = await createHarness({ env: { OPENAI_WIRE: 'responses' } });
  const tools = [
    'note_visit',
    { type: 'web_search' },
    { type: 'file_search', options: { vector_store_ids: ['vs_1'] } },
  ];
  const turn: TurnResource = await harness.startTurn({ input: 'Hi', tools });
  const { body } = await harness.call<ConversationResource>('GET', `/v1/conversations/${turn.conversation_id}`);

  const request = requestOf(turn, body);

  expect(request.tools).toEqual(tools);
  expect(request.tools?.map(nameOf)).toEqual([
    ...['note_visit', 'web_search (run by the provider)', 'file_search (run by the provider)'],
  ]);
});
