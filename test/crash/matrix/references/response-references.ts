import { scripted } from '#test/harness/scripted.ts';
import type { Scene } from '../lane.ts';
import { first, key } from './first-turn.ts';
import type { Call, Reference } from './reference.ts';

const locate = { type: 'function', name: 'locate', parameters: { type: 'object' } };
const asking = {
  input: scripted({ rounds: [{ tools: [{ id: 'call_it', name: 'locate', arguments: {} }] }], answer: 'All is done.' }),
  tools: [locate],
};
const answering = { input: [{ type: 'function_call_output', call_id: 'call_it', output: 'here' }], tools: [locate] };

/** Responses that cross the writes that only responses make. An answer with their key is the same response. */
export const responseReferences: Reference[] = [
  {
    of: 'the request that creates a response',
    start: async () => {},
    request: async () => create({ input: 'Hi' }),
    answers: [200],
  },
  {
    of: 'the request that creates a response after another response',
    start: (scene) => respond(scene, { input: 'First.' }),
    request: (scene) => behindFirst(scene, { input: 'Second.' }),
    answers: [200],
  },
  {
    of: 'the request that forks a response',
    start: respondTwice,
    request: (scene) => behindFirst(scene, { input: 'Another second.' }),
    answers: [200],
  },
  {
    of: 'the request that answers the calls of a response',
    start: (scene) => respond(scene, asking),
    request: (scene) => behindFirst(scene, answering),
    answers: [200],
  },
  {
    of: 'the request that allows a call of the previous response',
    start: (scene) => respond(scene, askingToAllow(scene)),
    request: async (scene) => behindFirst(scene, { input: await allowing(scene) }),
    answers: [200],
  },
  {
    of: 'the request that deletes a response with a fork',
    start: async (scene) => {
      const previous_response_id = await respondTwice(scene);
      await respond(scene, { input: 'Another second.', previous_response_id });
    },
    request: async (scene) => ({ method: 'DELETE', path: `/v1/responses/${await firstOf(scene)}` }),
    answers: [200, 404],
  },
  {
    of: 'a response that answers the calls of the previous response',
    start: async (scene) => {
      const previous_response_id = await respond(scene, asking);
      await scene.call('POST', '/v1/responses', create({ ...answering, previous_response_id }));
    },
  },
  {
    of: 'a response that begins with allowed calls',
    start: async (scene) => {
      const previous_response_id = await respond(scene, askingToAllow(scene));
      const body = create({ input: await allowing(scene), previous_response_id });
      await scene.call('POST', '/v1/responses', body);
    },
  },
];

/** Makes a request. Its model asks for calls that a person must allow. */
function askingToAllow({ recorder }: Scene) {
  const tool = (name: string, effect: string) => ({
    ...{ type: 'function', name, description: 'Does something that is seen', effect, approval: 'always' },
    execution: { kind: 'http', url: `${recorder.url}/${name}` },
  });
  const calls = ['note', 'book'].map((name) => ({ id: `call_${name}`, name, arguments: {} }));
  return {
    input: scripted({ rounds: [{ tools: calls }], answer: 'All is done.' }),
    tools: [tool('note', 'idempotent'), tool('book', 'at_most_once')],
  };
}

async function allowing(scene: Scene): Promise<object[]> {
  const request = (await firstOf(scene)).replace('resp_', 'mcpr_');
  return [0, 1].map((index) => {
    return { type: 'mcp_approval_response', approval_request_id: `${request}_r1_${index}`, approve: true };
  });
}

function create(request: object): Call & { body: object } {
  const body = { model: 'openai/test', background: true, ...request };
  return { method: 'POST', path: '/v1/responses', headers: key, body };
}

/** Creates a response, and runs jobs until it ends. Returns its id. */
async function respond({ call, harness }: Scene, request: object): Promise<string> {
  const { body } = create(request);
  const { body: response } = await call<{ id: string }>('POST', '/v1/responses', { body });
  await harness.workUntilIdle();
  return response.id;
}

/** Creates a response and the next response. Returns the id of the first. */
async function respondTwice(scene: Scene): Promise<string> {
  const previous_response_id = await respond(scene, { input: 'First.' });
  await respond(scene, { input: 'Second.', previous_response_id });
  return previous_response_id;
}

async function behindFirst(scene: Scene, request: object): Promise<Call> {
  return create({ ...request, previous_response_id: await firstOf(scene) });
}

async function firstOf(scene: Scene): Promise<string> {
  return (await first(scene)).id.replace('turn_', 'resp_');
}
