import type { Scene } from '../lane.ts';
import { key } from './first-turn.ts';
import type { Reference } from './reference.ts';

/** Requests that change agents, and a turn that uses one. */
export const agentReferences: Reference[] = [
  {
    of: 'the request that creates an agent',
    start: async () => {},
    request: async () => ({ method: 'POST', path: '/v1/agents', headers: key, body: agent }),
    answers: [201],
  },
  {
    of: 'the request that creates a version of an agent',
    start: create,
    request: async () => ({ method: 'PATCH', path, body: { instructions: 'You are brief.', version: 1 } }),
    answers: [200, 409],
  },
  {
    of: 'the request that changes the metadata of an agent',
    start: create,
    request: async () => ({ method: 'PATCH', path, body: { metadata: { team: 'blue' } } }),
    answers: [200],
  },
  {
    of: 'the request that sets a label of an agent',
    start: create,
    request: async () => ({ method: 'PUT', path: `${path}/labels/production`, body: { version: 1 } }),
    answers: [200],
  },
  {
    of: 'the request that deletes a label of an agent',
    start: createLabelled,
    request: async () => ({ method: 'DELETE', path: `${path}/labels/production` }),
    answers: [204, 404],
  },
  {
    of: 'the request that deletes an agent with a turn',
    start: async (scene) => {
      await createLabelled(scene);
      await scene.startTurn({ agent: 'support', variables, input: 'Hi' });
      await scene.harness.workUntilIdle();
    },
    request: async () => ({ method: 'DELETE', path }),
    answers: [204, 404],
  },
  {
    of: 'the request that starts a turn with an agent',
    start: createLabelled,
    request: async () => ({
      method: 'POST',
      path: '/v1/turns',
      headers: key,
      body: { agent: 'support@production', variables, input: 'Hi' },
    }),
    answers: [202],
  },
];

const agent = { name: 'support', model: 'openai/test', instructions: 'You help {{customer}}.' };
const variables = { customer: 'Ada' };
const path = '/v1/agents/support';

async function create({ call }: Scene): Promise<void> {
  await call('POST', '/v1/agents', { body: agent });
}

async function createLabelled(scene: Scene): Promise<void> {
  await create(scene);
  await scene.call('PUT', `${path}/labels/production`, { body: { version: 1 } });
}
