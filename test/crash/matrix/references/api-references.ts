import { sql } from 'kysely';
import { file, image, PDF, PNG, text, user } from '#test/api/blobs/samples.ts';
import { scripted } from '#test/harness/scripted.ts';
import type { Scene } from '../lane.ts';
import { continueFirst, device, first, key, startWaiting, toFirst } from './first-turn.ts';
import type { Call, Reference } from './reference.ts';

/** Requests that together cross everything an API writes. */
export const apiReferences: Reference[] = [
  {
    of: 'the request that starts a turn',
    start: nothing,
    request: async (scene) => post('/v1/turns', { input: 'Hi', webhook: receiver(scene) }),
    answers: [202],
  },
  {
    of: 'the request that starts a turn with an image',
    start: nothing,
    request: async () => post('/v1/turns', { input: user(text('Look'), image(PNG), file(PDF)) }),
    answers: [202],
  },
  {
    of: 'the request that creates a conversation',
    start: nothing,
    request: async () => post('/v1/conversations', {}),
    answers: [201],
  },
  {
    of: 'the request that starts a conversation with a turn',
    start: nothing,
    request: async () => post('/v1/conversations', { input: 'Hi' }),
    answers: [202],
  },
  {
    of: 'the request that interrupts a turn with another turn',
    start: startWithHook,
    request: (scene) => continueFirst(scene, { input: 'Second.', on_active_turn: 'interrupt' }),
    answers: [202],
  },
  {
    of: 'the request that gives a tool output',
    start: (scene) => startWaiting(scene, device),
    request: (scene) => toFirst(scene, 'tool_outputs', { tool_outputs: [{ tool_call_id: 'call_it', output: 'here' }] }),
    answers: [200],
  },
  {
    of: 'the request that gives a tool output with an image',
    start: (scene) => startWaiting(scene, device),
    request: (scene) => {
      const output = [text('here'), image(PNG)];
      return toFirst(scene, 'tool_outputs', { tool_outputs: [{ tool_call_id: 'call_it', output }] });
    },
    answers: [200],
  },
  {
    of: 'the request that allows a call with other arguments',
    start: (scene) => {
      const execution = { kind: 'http', url: `${scene.recorder.url}/book` };
      return startWaiting(scene, { name: 'book', description: 'Books it, once', execution, approval: 'always' });
    },
    request: (scene) => {
      const approval = { tool_call_id: 'call_it', decision: 'allow', arguments: { seat: 7 } };
      return toFirst(scene, 'approvals', { approvals: [approval] });
    },
    answers: [200],
  },
  {
    of: 'the request that cancels a turn',
    start: startWithHook,
    request: (scene) => toFirst(scene, 'cancel'),
    answers: [200],
  },
  {
    of: 'the request that retries a failed turn',
    start: async ({ startTurn, harness }) => {
      const fault = { kind: 'status' as const, status: 401, times: 1 };
      await startTurn({ input: scripted({ answer: 'Back.', final: { fault } }) });
      await harness.workUntilIdle();
    },
    request: (scene) => toFirst(scene, 'retry'),
    answers: [202, 409],
  },
  {
    of: 'the request that delivers a webhook again',
    start: async (scene) => {
      await startWithHook(scene);
      await scene.harness.workUntilIdle();
    },
    request: async (scene) => {
      const { id } = await first(scene);
      const { body } = await scene.call<{ data: { id: string }[] }>('GET', `/v1/turns/${id}/deliveries`);
      return { method: 'POST', path: `/v1/deliveries/${body.data[0]?.id}/redeliver` };
    },
    answers: [202],
  },
  {
    of: 'the request that deletes a conversation',
    start: async ({ startTurn, harness }) => {
      await startTurn({ input: 'Hi' });
      await harness.workUntilIdle();
    },
    request: deleteConversation,
    answers: [204, 404],
  },
  {
    of: 'the request that deletes a conversation with forks',
    start: startForked,
    request: deleteConversation,
    answers: [204, 404],
  },
  {
    of: 'the request that deletes a turn of a continuing conversation',
    start: async ({ startTurn, call, harness, recorder }) => {
      const input = user(text('Look'), image(PNG));
      const { conversation_id: id } = await startTurn({ input, webhook: receiver({ recorder }) });
      await call('POST', `/v1/conversations/${id}/turns`, { body: { input: 'Next.' } });
      await harness.workUntilIdle();
    },
    request: deleteTurn,
    answers: [204, 404],
  },
  {
    of: 'the request that deletes a turn with a fork',
    start: startForked,
    request: deleteTurn,
    answers: [204, 404],
  },
  {
    of: 'the request that deletes a running response',
    start: startWithHook,
    request: async (scene) => {
      const { id } = await first(scene);
      return { method: 'DELETE', path: `/v1/responses/${id.replace('turn_', 'resp_')}` };
    },
    answers: [200, 404],
  },
  {
    of: 'the request that creates a webhook endpoint',
    start: nothing,
    request: async (scene) => ({ method: 'POST', path: '/v1/webhook_endpoints', headers: key, body: receiver(scene) }),
    answers: [201],
  },
  {
    of: 'the request that disables a webhook endpoint',
    start: createEndpoint,
    request: async (scene) => ({ method: 'PATCH', path: await endpointOf(scene), body: { status: 'disabled' } }),
    answers: [200],
  },
  {
    of: 'the request that changes the secret of a webhook endpoint',
    start: createEndpoint,
    request: async (scene) => ({ method: 'POST', path: `${await endpointOf(scene)}/rotate_secret`, headers: key }),
    answers: [200],
  },
  {
    of: 'the request that deletes a webhook endpoint',
    start: createEndpoint,
    request: async (scene) => ({ method: 'DELETE', path: await endpointOf(scene) }),
    answers: [204, 404],
  },
];

async function nothing(): Promise<void> {}

/** Makes a request that may be sent again. A model is a field of every resource that it creates. */
function post(path: string, fields: object): Call {
  return { method: 'POST', path, headers: key, body: { model: 'openai/test', ...fields } };
}

function receiver({ recorder }: Pick<Scene, 'recorder'>) {
  return { url: `${recorder.url}/hook` };
}

function startWithHook(scene: Scene) {
  return scene.startTurn({ input: 'Hi', webhook: receiver(scene) });
}

async function startForked({ startTurn, harness }: Scene): Promise<void> {
  const { id } = await startTurn({ input: 'Hi' });
  const fork = await startTurn({ input: 'Hi' });
  await sql`update conversations set forked_from = ${id} where id = ${fork.conversation_id}`.execute(harness.db);
  await harness.workUntilIdle();
}

async function deleteConversation(scene: Scene): Promise<Call> {
  return { method: 'DELETE', path: `/v1/conversations/${(await first(scene)).conversation_id}` };
}

async function deleteTurn(scene: Scene): Promise<Call> {
  return { method: 'DELETE', path: `/v1/turns/${(await first(scene)).id}` };
}

function createEndpoint(scene: Scene) {
  return scene.call('POST', '/v1/webhook_endpoints', { body: receiver(scene) });
}

async function endpointOf({ endpoints }: Scene): Promise<string> {
  const [endpoint] = await endpoints();
  return `/v1/webhook_endpoints/${endpoint?.id}`;
}
