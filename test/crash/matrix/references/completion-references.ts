import type { Scene } from '../lane.ts';
import type { Call, Reference } from './reference.ts';

/** Requests that together cross the writes of chat completions. */
export const completionReferences: Reference[] = [
  {
    of: 'the request that creates a chat completion',
    start: complete,
    request: async () => create,
    answers: [200],
  },
  {
    of: 'the request that changes the metadata of a chat completion',
    start: complete,
    request: async ({ turns }) => {
      const id = (await turns())[0]?.id.replace('turn_', 'chatcmpl-');
      return { method: 'POST', path: `/v1/chat/completions/${id}`, body: { metadata: { order: '18' } } };
    },
    answers: [200],
  },
];

const create: Call = {
  method: 'POST',
  path: '/v1/chat/completions',
  headers: { 'idempotency-key': 'only-once' },
  body: { model: 'openai/test', messages: [{ role: 'user', content: 'Hi' }], store: true },
};

async function complete({ call, harness }: Scene): Promise<void> {
  const { method, path, ...more } = create;
  let isAnswered = false;
  const answer = call(method, path, more).finally(() => {
    isAnswered = true;
  });
  while (!isAnswered) await harness.workUntilIdle();
  await answer;
}
