import type { Scene } from '../lane.ts';
import { first, key } from './first-turn.ts';
import type { Reference } from './reference.ts';

/** Requests that change a conversation and its items by OpenAI's API. */
export const conversationReferences: Reference[] = [
  {
    of: 'the request that adds items to a conversation',
    start: respond,
    request: async (scene) => ({
      ...{ method: 'POST', path: `${await pathOf(scene)}/items`, headers: key },
      body: { items: [{ role: 'user', content: 'This as well.' }] },
    }),
    answers: [200],
  },
  {
    of: 'the request that deletes an item of a conversation',
    start: respond,
    request: async (scene) => {
      const { id } = await first(scene);
      return { method: 'DELETE', path: `${await pathOf(scene)}/items/${id.replace('turn_', 'msg_')}_i0` };
    },
    answers: [200, 404],
  },
  {
    of: 'the request that changes the metadata of a conversation',
    start: respond,
    request: async (scene) => ({ method: 'POST', path: await pathOf(scene), body: { metadata: { order: '17' } } }),
    answers: [200],
  },
];

/** Creates a response in its own conversation, and runs jobs until it ends. */
async function respond({ call, harness }: Scene): Promise<void> {
  const body = { model: 'openai/test', background: true, input: 'First.' };
  await call('POST', '/v1/responses', { body });
  await harness.workUntilIdle();
}

async function pathOf(scene: Scene): Promise<string> {
  return `/openai/v1/conversations/${(await first(scene)).conversation_id}`;
}
